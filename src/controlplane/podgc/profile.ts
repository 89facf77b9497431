// What differs between Kubernetes versions as far as this controller shows it.
import { sinceMinor } from '../../kube/kubernetes-version.ts';

export interface Profile {
  /** Terminating pods of nodes that are out of service are removed. Gate NodeOutOfServiceVolumeDetach: on since 1.26. */
  readonly outOfServiceTaint: boolean;
  /** A pod is Failed, and told why, before it goes. Gate PodDisruptionConditions: on since 1.26. */
  readonly marksFailed: boolean;
  /** Status and conditions name the generation they were made for. Gate PodObservedGenerationTracking: on since 1.34. */
  readonly observedGeneration: boolean;
}

export function profileOf(version?: string): Profile {
  const since = sinceMinor(version);
  return { outOfServiceTaint: since(26), marksFailed: since(26), observedGeneration: since(34) };
}
