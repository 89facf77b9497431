// What a component shows depends on the Kubernetes version that it is told to be.

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

export interface KubernetesVersion {
  readonly minor: number;
  readonly patch: number;
}

/** `1.36`, `1.36.3`, `v1.36.3`; without a patch the first release of the minor is meant. */
export function versionOf(text: string = DEFAULT_VERSION): KubernetesVersion {
  const [, minor, patch = '0'] = /^v?1\.(\d+)(?:\.(\d+))?/.exec(text) ?? [];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${text}`);
  return { minor: Number(minor), patch: Number(patch) };
}

/** Whether the version is of this minor release or a later one. */
export function sinceMinor(text?: string): (first: number) => boolean {
  const { minor } = versionOf(text);
  return (first) => minor >= first;
}
