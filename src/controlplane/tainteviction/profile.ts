// What differs between Kubernetes versions as far as this controller shows it.
import { sinceMinor } from '../../kube/kubernetes-version.ts';

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

export function profileOf(version?: string): Profile {
  const since = sinceMinor(version);
  return {
    eventComponent: since(29) ? 'taint-eviction-controller' : 'taint-controller',
    disruptionConditions: since(26),
    observedGeneration: since(34),
    remembersEvictions: !since(33),
  };
}
