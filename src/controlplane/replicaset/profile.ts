// What differs between Kubernetes versions as far as this controller shows it.

export interface Profile {
  /** Pods that are being deleted are counted in the status. Gate DeploymentReplicaSetTerminatingReplicas: on since 1.35. */
  readonly countsTerminating: boolean;
}

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

/** `1.36`, `1.36.3`, `v1.36.3`. */
export function profileOf(version: string = DEFAULT_VERSION): Profile {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${version}`);
  return { countsTerminating: Number(minor) >= 35 };
}
