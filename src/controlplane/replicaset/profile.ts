// What differs between Kubernetes versions as far as this controller shows it.
import { sinceMinor } from '../../kube/kubernetes-version.ts';

export interface Profile {
  /** Pods that are being deleted are counted in the status. Gate DeploymentReplicaSetTerminatingReplicas: on since 1.35. */
  readonly countsTerminating: boolean;
}

export function profileOf(version?: string): Profile {
  return { countsTerminating: sinceMinor(version)(35) };
}
