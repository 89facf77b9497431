// What differs between Kubernetes versions as far as this controller shows it.

export interface Profile {
  /** Where its Events come from: a controller of its own since 1.29, before that a part of the node controller. */
  readonly eventComponent: string;
  /** Pods are told why they go. Gate PodDisruptionConditions: on since 1.26. */
  readonly disruptionConditions: boolean;
  /** Conditions name the generation they were made for. Gate PodObservedGenerationTracking: on since 1.34. */
  readonly observedGeneration: boolean;
  /** An eviction that was done is remembered, and a toleration that runs again starts no second one. Until 1.32. */
  readonly remembersEvictions: boolean;
}

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

/** `1.36`, `1.36.3`, `v1.36.3`. */
export function profileOf(version: string = DEFAULT_VERSION): Profile {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${version}`);
  const since = (first: number): boolean => Number(minor) >= first;
  return {
    eventComponent: since(29) ? 'taint-eviction-controller' : 'taint-controller',
    disruptionConditions: since(26),
    observedGeneration: since(34),
    remembersEvictions: !since(33),
  };
}
