import { uniqueVolumeName } from '../../volume/volume-name.ts';
import type { MakeChecker } from './checker.ts';

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
    tell({
      severity: 'violation',
      about: `volume ${volumeId}`,
      says: `${fact.rpc} was called on ${nodeName}, which does not say that the volume is in use`,
    });
  },
});
