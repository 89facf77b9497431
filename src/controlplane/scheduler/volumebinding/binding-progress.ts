// PreBind: where the volumes of a pod stand on their way to being bound. Judged by what the server shows, never by what is
// assumed. kubernetes:pkg/scheduler/framework/plugins/volumebinding/binder.go#checkBindings
import { annotationOf } from '../../../kube/annotations.ts';
import { type ObjectKey, keyOf } from '../../../kube/object.ts';
import type { Node } from '../../../kube/resources/node.ts';
import type { PersistentVolumeClaim } from '../../../kube/resources/persistent-volume-claim.ts';
import type { PersistentVolume } from '../../../kube/resources/persistent-volume.ts';
import type { Pod } from '../../../kube/resources/pod.ts';
import { SELECTED_NODE } from '../../../volume/annotations.ts';
import { nodeAffinityAdmits } from '../../../volume/node-affinity.ts';
import type { Reader } from '../cluster-snapshot.ts';
import { lookupError } from '../lookup.ts';
import { isFullyBound } from './pod-claims.ts';
import type { PodVolumes, StaticBinding } from './pod-volumes.ts';

export type BindingProgress =
  | { readonly type: 'done' }
  | { readonly type: 'waiting'; readonly for: string }
  | { readonly type: 'failed'; readonly message: string };

/** What PreBind wrote, and for whom. */
export interface WrittenVolumes {
  readonly pod: Pick<Pod, 'metadata'>;
  readonly node: string;
  /** As the server answered the writes. */
  readonly volumes: PodVolumes;
}
export interface ServerView {
  readonly pods: Reader<Pod>;
  readonly nodes: Reader<Node>;
  readonly claims: Reader<PersistentVolumeClaim>;
  readonly volumes: Reader<PersistentVolume>;
}

const DONE: BindingProgress = { type: 'done' };
const failed = (message: string): BindingProgress => ({ type: 'failed', message });
const waiting = (what: string): BindingProgress => ({ type: 'waiting', for: what });

export function decideProgress(written: WrittenVolumes, server: ServerView): BindingProgress {
  const node = server.nodes.get(written.node);
  if (node === undefined) return failed(`failed to get node "${written.node}": ${lookupError('node', written.node)}`);
  if (server.pods.get(keyOf(written.pod)) === undefined) {
    return failed(`pod does not exist any more: ${lookupError('pod', written.pod.metadata.name)}`);
  }
  for (const binding of written.volumes.bindings) {
    const progress = decideStatic(binding, node, server);
    if (progress.type !== 'done') return progress;
  }
  for (const claim of written.volumes.provisions) {
    const progress = decideDynamic(claim, node, server);
    if (progress.type !== 'done') return progress;
  }
  return DONE;
}

function decideStatic(binding: StaticBinding, node: Node, server: ServerView): BindingProgress {
  const { name } = binding.volume.metadata;
  const volume = server.volumes.get(name);
  if (volume === undefined) return failed(`failed to check binding: ${notCached('persistentvolumes', name)}`);
  const key = keyOf(binding.claim);
  const claim = server.claims.get(key);
  if (claim === undefined) return failed(`failed to check binding: ${notCached('persistentvolumeclaims', key)}`);
  if (isOlder(volume, binding.volume)) return waiting(`PersistentVolume ${name} as written`);
  if (!nodeAffinityAdmits(volume, node)) return failed(affinityMessage(volume, node));
  if ((volume.spec.claimRef?.uid ?? '') === '') return failed(`ClaimRef got reset for pv "${name}"`);
  return isFullyBound(claim) ? DONE : waiting(`PersistentVolumeClaim ${key} to be bound`);
}

function decideDynamic(written: PersistentVolumeClaim, node: Node, server: ServerView): BindingProgress {
  const key = keyOf(written);
  const { name } = written.metadata;
  const claim = server.claims.get(key);
  if (claim === undefined)
    return failed(`failed to check provisioning pvc: ${notCached('persistentvolumeclaims', key)}`);
  if (isOlder(claim, written)) return waiting(`PersistentVolumeClaim ${key} as written`);
  if (claim.metadata.annotations === undefined) return failed(`selectedNode annotation reset for PVC "${name}"`);
  // A provisioner that gives up takes the annotation away: the pod is to be scheduled anew.
  if (annotationOf(claim, SELECTED_NODE) !== node.metadata.name) return failed(`provisioning failed for PVC "${name}"`);
  const volumeName = claim.spec.volumeName ?? '';
  if (volumeName !== '') {
    const volume = server.volumes.get(volumeName);
    if (volume === undefined) return waiting(`PersistentVolume ${volumeName} to appear`);
    if (!nodeAffinityAdmits(volume, node)) return failed(affinityMessage(volume, node));
  }
  return isFullyBound(claim) ? DONE : waiting(`PersistentVolumeClaim ${key} to be provisioned and bound`);
}

const affinityMessage = (volume: PersistentVolume, node: Node): string =>
  `pv "${volume.metadata.name}" node affinity doesn't match node "${node.metadata.name}": no matching NodeSelectorTerms`;

/** The cache names kinds in the plural and objects by key. */
const notCached = (plural: string, key: ObjectKey): string => `${plural} "${key}" not found`;

/** Revisions are compared as integers. */
function isOlder(shown: PersistentVolume | PersistentVolumeClaim, written: typeof shown): boolean {
  return BigInt(shown.metadata.resourceVersion) < BigInt(written.metadata.resourceVersion);
}
