// What is known when the controller starts: what Nodes list as attached is certain, though of its volume only the name
// is known; a VolumeAttachment that no Node lists is uncertain, whatever it says itself; pods tell what is wanted. When
// a detach was first requested is known to nobody: those times begin anew.
// Upstream: kubernetes:pkg/controller/volume/attachdetach/attach_detach_controller.go populate…StateOfWorld.
import { type Log } from '../../base/log.ts';
import { type Node } from '../../kube/resources/node.ts';
import { type Pod } from '../../kube/resources/pod.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type ActualStateOfWorld } from './actual-state-of-world.ts';
import { type DesiredStateOfWorld } from './desired-state-of-world.ts';
import { type Populator } from './populator.ts';
import { type Catalogue, resolvePersistentVolume, resolveVolume } from './volume-spec.ts';

export interface RestoreParts {
  readonly nodes: Lister<Node>;
  readonly pods: Lister<Pod>;
  readonly attachments: Lister<VolumeAttachment>;
  readonly catalogue: Catalogue;
  readonly actual: ActualStateOfWorld;
  readonly desired: DesiredStateOfWorld;
  readonly populator: Populator;
  readonly log: Log;
}

/** Of a Node: its kubelet leaves attaching to this controller. Any value will do. */
const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';

export const isManaged = (node: Node): boolean => node.metadata.annotations?.[MANAGED] !== undefined;

export function restoreStates(parts: RestoreParts): void {
  for (const node of parts.nodes.all()) restoreNode(node, parts);
  for (const attachment of parts.attachments.all()) restoreAttachment(attachment, parts);
  for (const pod of parts.pods.all()) restorePod(pod, parts);
}

function restoreNode(node: Node, { actual, desired }: RestoreParts): void {
  const { name } = node.metadata;
  for (const { name: volume, devicePath } of node.status.volumesAttached ?? []) {
    actual.markAttached({ volume, node: name }, undefined, devicePath);
  }
  actual.setMounted(name, node.status.volumesInUse ?? []);
  if (isManaged(node)) desired.addNode(name);
}

/** One whose volume is gone is left to the attacher. */
function restoreAttachment({ metadata, spec }: VolumeAttachment, { catalogue, actual, log }: RestoreParts): void {
  const persistentVolume = catalogue.persistentVolume(spec.source.persistentVolumeName ?? '');
  if (persistentVolume === undefined) {
    log.write('warn', `VolumeAttachment ${metadata.name} names no volume that exists: it is left alone`);
    return;
  }
  const resolved = resolvePersistentVolume(persistentVolume, catalogue);
  if (resolved.type !== 'attachable') return;
  const pair = { volume: resolved.spec.volume, node: spec.nodeName };
  if (actual.stateOf(pair) === 'detached') actual.markUncertain(pair, resolved.spec);
}

function restorePod(pod: Pod, { catalogue, actual, populator, nodes }: RestoreParts): void {
  populator.addOrRemove(pod, { type: 'started', entry: null });
  const node = pod.spec.nodeName ?? '';
  for (const volume of pod.spec.volumes ?? []) {
    const resolved = resolveVolume(pod, volume, catalogue);
    if (resolved.type !== 'attachable') continue;
    const pair = { volume: resolved.spec.volume, node };
    const listed = nodes.get(node)?.status.volumesAttached?.find(({ name }) => name === pair.volume);
    if (listed === undefined || actual.stateOf(pair) !== 'attached') continue;
    actual.markAttached(pair, resolved.spec, listed.devicePath);
  }
}
