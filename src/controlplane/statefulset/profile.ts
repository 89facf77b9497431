// What differs between Kubernetes versions as far as this controller shows it.

export type Verb = 'create' | 'update' | 'delete';

export interface Profile {
  /** The verb as the text of an event begins with it. */
  verb(verb: Verb): string;
  /** Pods carry their ordinal as a label. Gate PodIndexLabel: on since 1.28. */
  readonly podIndexLabel: boolean;
  /** A pod that ended is announced before it is deleted: until 1.30, and pods that succeeded only since 1.29. */
  readonly announcesFailed: boolean;
  readonly announcesSucceeded: boolean;
  /** A pod that succeeded is replaced like one that failed. */
  readonly replacesSucceeded: boolean;
}

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

/** `1.36`, `1.36.3`, `v1.36.3`. */
export function profileOf(version: string = DEFAULT_VERSION): Profile {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${version}`);
  const since = (first: number): boolean => Number(minor) >= first;
  return {
    verb: since(35) ? capitalised : (verb) => verb,
    podIndexLabel: since(28),
    announcesFailed: !since(31),
    announcesSucceeded: since(29) && !since(31),
    replacesSucceeded: since(29),
  };
}

export const capitalised = (verb: Verb): string => `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
