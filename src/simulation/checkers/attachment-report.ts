import { isOf } from '../../kube/object.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { attachmentName } from '../../volume/attachment-name.ts';
import { splitUniqueVolumeName, uniqueVolumeName } from '../../volume/volume-name.ts';
import type { MakeChecker } from './checker.ts';
import { ATTACH_DETACH } from './scene.ts';

/** A node is told of a volume after it was attached, and no longer when its detach begins: else it would mount it. */
export const attachmentReport: MakeChecker = (scene, tell) => {
  /** Attachments that said at some time that they are attached. */
  const attached = new Set<string>();
  return {
    name: 'attachment-report',
    observe(fact) {
      if (fact.type !== 'write' || fact.after === undefined) return;
      const { before, after, actor } = fact;
      if (isOf(VolumeAttachments, after)) {
        if (after.status.attached) attached.add(after.metadata.name);
        const isAsked =
          after.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined;
        const csi = scene.get(PersistentVolumes, after.spec.source.persistentVolumeName ?? '')?.spec.csi;
        if (!isAsked || actor !== ATTACH_DETACH || csi === undefined) return;
        const name = uniqueVolumeName({ driver: csi.driver, handle: csi.volumeHandle });
        if (!reportedBy(scene.node(after.spec.nodeName)).includes(name)) return;
        tell({
          severity: 'violation',
          about: `va/${after.metadata.name}`,
          says: `its detach began while ${after.spec.nodeName} is told that the volume is attached`,
        });
      }
      if (!isOf(Nodes, after) || actor !== ATTACH_DETACH) return;
      const known = before !== undefined && isOf(Nodes, before) ? reportedBy(before) : [];
      for (const name of reportedBy(after)) {
        const volume = known.includes(name) ? undefined : splitUniqueVolumeName(name);
        if (volume === undefined || attached.has(attachmentName({ ...volume, node: after.metadata.name }))) continue;
        tell({
          severity: 'violation',
          about: `node/${after.metadata.name}`,
          says: `it is told of ${name}, which was never attached to it`,
        });
      }
    },
  };
};

const reportedBy = (node: Node | undefined): readonly string[] =>
  (node?.status.volumesAttached ?? []).map(({ name }) => name);
