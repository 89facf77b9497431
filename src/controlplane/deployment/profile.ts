// What differs between Kubernetes versions as far as this controller shows it.

export interface Profile {
  /** Text of the event of a ReplicaSet that is resized; `from` is undefined for one that is new. */
  scaled(
    direction: 'up' | 'down',
    name: string,
    sizes: { readonly from: number | undefined; readonly to: number },
  ): string;
  /** Pods that are being deleted are counted in the status. Gate DeploymentReplicaSetTerminatingReplicas: on since 1.35. */
  readonly countsTerminating: boolean;
}

/** The version of the recordings. */
const DEFAULT_VERSION = '1.36.3';

/** `1.36`, `1.36.3`, `v1.36.3`. */
export function profileOf(version: string = DEFAULT_VERSION): Profile {
  const minor = /^v?1\.(\d+)/.exec(version)?.[1];
  if (minor === undefined) throw new Error(`not a Kubernetes version: ${version}`);
  const since = (first: number): boolean => Number(minor) >= first;
  return { scaled: since(32) ? scaled : scaledUntil131, countsTerminating: since(35) };
}

const scaled: Profile['scaled'] = (direction, name, { from = 0, to }) =>
  `Scaled ${direction} replica set ${name} from ${from} to ${to}`;

const scaledUntil131: Profile['scaled'] = (direction, name, { from, to }) =>
  `Scaled ${direction} replica set ${name} to ${to}${from === undefined ? '' : ` from ${from}`}`;
