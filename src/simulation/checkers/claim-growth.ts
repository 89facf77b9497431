// A bound claim that asks for more than it has gets it, or something that time alone does not change is in the way.
import { type KubeObject, keyOf } from '../../kube/object.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import type { Scene } from './scene.ts';

/** The resizer is done and leaves the rest to a node, whatever the claim asks for meanwhile. */
const WAITS_FOR_NODE: ReadonlySet<string> = new Set(['NodeResizePending', 'NodeResizeInProgress']);

/** What the claim lacks; undefined if it has what it asks for. */
export function missingGrowth(claim: PersistentVolumeClaim): string | undefined {
  const { requests } = claim.spec.resources;
  const [wanted, has] = [requests?.['storage'] ?? '0', claim.status.capacity?.['storage'] ?? '0'];
  return compareQuantities(wanted, has) > 0 ? `it asks for ${wanted} and has ${has}` : undefined;
}

/** The last that Events said about an object under a reason. */
export interface Said {
  of(object: KubeObject, reason: string): string | undefined;
}

export function whyNotGrown(scene: Scene, claim: PersistentVolumeClaim, said: Said): string | undefined {
  const status = claim.status.allocatedResourceStatuses?.['storage'] ?? '';
  const users = scene.podsUsing(keyOf(claim));
  if (scene.get(StorageClasses, claim.spec.storageClassName ?? '')?.allowVolumeExpansion !== true)
    return 'its class does not let claims grow';
  if (WAITS_FOR_NODE.has(status) && !users.some(isRunning)) return 'a node must grow it, and no running pod uses it';
  if (
    users.length > 0 &&
    /expands only offline|only supports offline expansion/.test(said.of(claim, 'VolumeResizeFailed') ?? '')
  )
    return 'its volume grows only while no pod uses it';
  if (users.some(isRunning) && isRefusedInUse(claim))
    return 'its driver refused to grow it in use, and is not asked again';
  return users.map((pod) => whyNodeCannotGrow(pod, said)).find((why) => why !== undefined);
}

/** The kubelet takes FailedPrecondition for "not while it is in use", and does not try again while the pod runs. */
const isRefusedInUse = ({ status }: PersistentVolumeClaim): boolean =>
  status.conditions?.some(
    ({ type, message }) => type === 'NodeResizeError' && message?.includes('code = FailedPrecondition') === true,
  ) ?? false;

/** Upstream tries for ever what a driver asks for and cannot do, and a pod that has not started waits for it. */
export function whyNodeCannotGrow(pod: Pod, said: Said): string | undefined {
  const isRefused = ['VolumeResizeFailed', 'FailedMount', 'FailedMapVolume'].some((reason) =>
    said.of(pod, reason)?.includes('NodeExpand is not supported by the CSI driver'),
  );
  return isRefused ? 'a node must grow its volume, and the driver cannot do that' : undefined;
}

const isRunning = ({ status, metadata }: Pod): boolean =>
  status.phase === 'Running' && metadata.deletionTimestamp === undefined;
