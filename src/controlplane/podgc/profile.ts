// What differs between Kubernetes versions as far as this controller shows it.

export interface Profile {
  /** Terminating pods of nodes that are out of service are removed. Gate NodeOutOfServiceVolumeDetach: on since 1.26. */
  readonly outOfServiceTaint: boolean;
  /** A pod is Failed, and told why, before it goes. Gate PodDisruptionConditions: on since 1.26. */
  readonly marksFailed: boolean;
  /** Status and conditions name the generation they were made for. Gate PodObservedGenerationTracking: on since 1.34. */
  readonly observedGeneration: boolean;
}

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

/** `1.36`, `1.36.3`, `v1.36.3`. */
export function profileOf(version: string = DEFAULT_VERSION): Profile {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${version}`);
  const since = (first: number): boolean => Number(minor) >= first;
  return { outOfServiceTaint: since(26), marksFailed: since(26), observedGeneration: since(34) };
}
