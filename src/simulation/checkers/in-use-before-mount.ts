import { uniqueVolumeName } from '../../volume/volume-name.ts';
import type { MakeChecker } from './checker.ts';
import type { Scene } from './scene.ts';

/** A kubelet says that a volume is in use before it mounts it: otherwise it could be detached under the mount. */
export const inUseBeforeMount: MakeChecker = (scene, tell) => ({
  name: 'in-use-before-mount',
  observe(fact) {
    if (fact.type !== 'call-begins' || fact.nodeName === undefined) return;
    if (fact.rpc !== 'NodeStageVolume' && fact.rpc !== 'NodePublishVolume') return;
    const { driver, volumeId, nodeName } = fact;
    const node = scene.node(nodeName);
    const isEphemeral = scene.volumeBehind(driver, volumeId) === undefined;
    if (node === undefined || isEphemeral || !scene.needsAttach(driver)) return;
    const name = uniqueVolumeName({ driver, handle: volumeId });
    if (node.status.volumesInUse?.includes(name) === true) return;
    // A Node that was made anew has lost what its kubelet had said.
    if (scene.wasMadeAnew(nodeName)) return;
    const excuse = excuseFor(scene, { driver, volumeId, node: nodeName });
    tell({
      severity: excuse === undefined ? 'violation' : 'known',
      about: `volume ${volumeId}`,
      says: `${fact.rpc} was called on ${nodeName}, which does not say that the volume is in use${excuse === undefined ? '' : `: ${excuse}`}`,
    });
  },
});

/**
 * A kubelet compares its report with its own cache of the Node, and takes what that lists for reported: a cache that was cut
 * off may list what was taken back. kubernetes:pkg/kubelet/kubelet_node_status.go tryUpdateNodeStatus
 * A kubelet that starts and finds traces of a volume which was detached meanwhile takes it for one that needs no
 * attaching: it does not report it and asks only the attachment before it mounts.
 * kubernetes:pkg/kubelet/volumemanager/reconciler/reconstruct.go updateReconstructedFromNodeStatus
 */
function excuseFor(
  scene: Scene,
  { driver, volumeId, node }: { readonly driver: string; readonly volumeId: string; readonly node: string },
): string | undefined {
  if (scene.inUseWhenCutOff(node).includes(uniqueVolumeName({ driver, handle: volumeId })))
    return 'the kubelet was cut off, and its cache of the Node still lists the volume';
  const since = scene.usedSince(driver, volumeId, node);
  if (since === undefined || (scene.kubeletStartedAt(node) ?? -1) < since) return undefined;
  return 'the kubelet restarted and found traces of the volume on its disk';
}
