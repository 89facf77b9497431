import type { InstantMs } from '../../base/clock.ts';
import { isOf } from '../../kube/object.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { uniqueVolumeName } from '../../volume/volume-name.ts';
import type { MakeChecker } from './checker.ts';
import { isUser } from './people.ts';
import type { Scene } from './scene.ts';

interface Detach {
  readonly driver: string;
  readonly volumeId: string;
  readonly node: string;
}

/** A volume is detached from a node that has it mounted only by force that was recorded, or by a person. */
export const detachAfterUnmount: MakeChecker = (scene, tell) => {
  /** Attachments that a person deleted, by driver, volume and node. */
  const deletedByHand = new Set<string>();
  return {
    name: 'detach-after-unmount',
    observe(fact) {
      if (fact.type === 'write' && fact.after !== undefined && isOf(VolumeAttachments, fact.after)) {
        const { spec, metadata } = fact.after;
        const began = metadata.deletionTimestamp !== undefined && fact.before?.metadata.deletionTimestamp === undefined;
        if (began && isUser(fact.actor))
          deletedByHand.add(`${spec.source.persistentVolumeName ?? ''} ${spec.nodeName}`);
      }
      if (fact.type !== 'effect') return;
      const { driver, call, volumeId, nodeId } = fact.effect;
      if (call !== 'ControllerUnpublishVolume') return;
      for (const node of usersOf(scene, { driver, volumeId, nodeId: nodeId ?? '' })) {
        const detach = { driver, volumeId, node };
        const since = scene.usedSince(driver, volumeId, node) ?? fact.at;
        if (isForced(scene, detach, since)) continue;
        if (deletedByHand.has(`${scene.volumeBehind(driver, volumeId)?.metadata.name ?? ''} ${node}`)) continue;
        const excuse = excuseFor(scene, detach, since);
        tell({
          severity: excuse === undefined ? 'violation' : 'known',
          about: `volume ${volumeId}`,
          says: `it was detached from ${node} while it was mounted there${excuse === undefined ? ', and nobody said that it was by force' : `: ${excuse}`}`,
        });
      }
    },
  };
};

/** Nodes behind a node id on which the volume is staged or published. */
function usersOf(
  scene: Scene,
  { driver, volumeId, nodeId }: { readonly driver: string; readonly volumeId: string; readonly nodeId: string },
): readonly string[] {
  const volume = scene.disk(driver, volumeId);
  const uses = [...(volume?.staged ?? []), ...(volume?.targets ?? [])].map(({ nodeName }) => nodeName);
  return [...new Set(uses)].filter((node) => scene.nodeIdOf(driver, node) === nodeId);
}

function isForced(scene: Scene, { driver, volumeId, node }: Detach, since: InstantMs): boolean {
  const forcedAt = scene.forcedAt(uniqueVolumeName({ driver, handle: volumeId }), node);
  return forcedAt !== undefined && forcedAt >= since;
}

/** Where upstream itself detaches under a mount. */
function excuseFor(scene: Scene, { driver, volumeId, node }: Detach, since: InstantMs): string | undefined {
  if (scene.isHidden(driver, volumeId, node)) return 'the driver did the work and answered with a final error';
  if (scene.isForgotten(driver, volumeId, node)) return 'the kubelet restarted and did not find the mount again';
  if (scene.nodeMadeAt(node) >= since) return 'the Node was made anew and lists no volume in use';
  return undefined;
}
