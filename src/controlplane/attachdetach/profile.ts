// What differs between Kubernetes versions as far as this controller shows it.
import { versionOf } from '../../kube/kubernetes-version.ts';

export interface Profile {
  /** A volume is never torn from a node that is Ready, however long it takes to unmount. */
  readonly sparesReadyNodes: boolean;
  /** The taint `node.kubernetes.io/out-of-service` counts. Gate NodeOutOfServiceVolumeDetach: on since 1.26. */
  readonly outOfServiceTaint: boolean;
  /** After a failed detach the attachment is uncertain; before, it stayed attached and was reported again. */
  readonly failedDetachIsUncertain: boolean;
  /** `--disable-force-detach-on-timeout` exists. */
  readonly hasDisableForceDetach: boolean;
  /** How the event of a pod that waits for an exclusive volume begins, and what it says if no pod holds the volume. */
  readonly multiAttach: { readonly prefix: string; readonly unused: string };
}

/** Releases of older minors that got the change of kubernetes PR 120595 too. */
const UNCERTAIN_SINCE: ReadonlyMap<number, number> = new Map([
  [26, 10],
  [27, 7],
  [28, 3],
]);
const WAITING_WORDS_SINCE: ReadonlyMap<number, number> = new Map([[36, 4]]);

export function profileOf(version?: string): Profile {
  const { minor, patch } = versionOf(version);
  const since = (first: number, backports: ReadonlyMap<number, number> = new Map()): boolean =>
    minor >= first || patch >= (backports.get(minor) ?? Number.POSITIVE_INFINITY);
  return {
    sparesReadyNodes: since(25),
    outOfServiceTaint: since(26),
    failedDetachIsUncertain: since(29, UNCERTAIN_SINCE),
    hasDisableForceDetach: since(30),
    multiAttach: since(37, WAITING_WORDS_SINCE) ? WAITING_FOR_DETACH : MULTI_ATTACH_ERROR,
  };
}

const MULTI_ATTACH_ERROR = {
  prefix: 'Multi-Attach error',
  unused: "Volume is already exclusively attached to one node and can't be attached to another",
};
const WAITING_FOR_DETACH = {
  prefix: 'Waiting for detach',
  unused:
    'Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node',
};
