// What differs between Kubernetes versions as far as this controller shows it.
import { sinceMinor } from '../../kube/kubernetes-version.ts';

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

export function profileOf(version?: string): Profile {
  const since = sinceMinor(version);
  return {
    verb: since(35) ? capitalised : (verb) => verb,
    podIndexLabel: since(28),
    announcesFailed: !since(31),
    announcesSucceeded: since(29) && !since(31),
    replacesSucceeded: since(29),
  };
}

export const capitalised = (verb: Verb): string => `${verb.charAt(0).toUpperCase()}${verb.slice(1)}`;
