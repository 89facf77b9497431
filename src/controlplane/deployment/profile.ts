// What differs between Kubernetes versions as far as this controller shows it.
import { sinceMinor } from '../../kube/kubernetes-version.ts';

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

export function profileOf(version?: string): Profile {
  const since = sinceMinor(version);
  return { scaled: since(32) ? scaled : scaledUntil131, countsTerminating: since(35) };
}

const scaled: Profile['scaled'] = (direction, name, { from = 0, to }) =>
  `Scaled ${direction} replica set ${name} from ${from} to ${to}`;

const scaledUntil131: Profile['scaled'] = (direction, name, { from, to }) =>
  `Scaled ${direction} replica set ${name} to ${to}${from === undefined ? '' : ` from ${from}`}`;
