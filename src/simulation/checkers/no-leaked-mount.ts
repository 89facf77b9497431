import type { InstantMs } from '../../base/clock.ts';
import type { MemoryVolume } from '../../csi/drivers/memory/backend.ts';
import { keyFrom } from '../../kube/object.ts';
import type { MakeChecker } from './checker.ts';
import type { Scene } from './scene.ts';

/** When all is well, nothing is mounted that no pod uses. */
export const noLeakedMount: MakeChecker = (scene, tell) => {
  /** Since when a volume is staged or published on a node. */
  const since = new Map<string, InstantMs>();
  return {
    name: 'no-leaked-mount',
    observe(fact) {
      if (fact.type !== 'effect') return;
      const { driver, call, volumeId, nodeName = '' } = fact.effect;
      const key = `${driver} ${volumeId} ${nodeName}`;
      if (call === 'NodeStageVolume' || call === 'NodePublishVolume') since.set(key, since.get(key) ?? fact.at);
      if (call === 'NodeUnstageVolume') since.delete(key);
    },
    atRest() {
      for (const use of usesOf(scene)) {
        if (isWanted(scene, use)) continue;
        const { volumeId } = use.volume;
        const excuse = excuseFor(scene, use, since.get(`${use.driver} ${volumeId} ${use.node}`) ?? 0);
        tell({
          severity: excuse === undefined ? 'violation' : 'known',
          about: `volume ${volumeId}`,
          says: `it is mounted on ${use.node}, where no pod uses it${excuse === undefined ? '' : `: ${excuse}`}`,
        });
      }
    },
  };
};

interface Use {
  readonly driver: string;
  readonly volume: MemoryVolume;
  readonly node: string;
}

function* usesOf(scene: Scene): IterableIterator<Use> {
  for (const { driver, volume } of scene.disks()) {
    const nodes = new Set([...volume.staged, ...volume.targets].map(({ nodeName }) => nodeName));
    for (const node of nodes) yield { driver, volume, node };
  }
}

function isWanted(scene: Scene, { driver, volume, node }: Use): boolean {
  if (volume.ephemeral) return scene.podsOn(node).length > 0;
  const ref = scene.volumeBehind(driver, volume.volumeId)?.spec.claimRef;
  const claim = keyFrom(ref?.namespace, ref?.name ?? '');
  return ref !== undefined && scene.podsUsing(claim).some(({ spec }) => spec.nodeName === node);
}

/** Where upstream itself leaves a mount behind. */
function excuseFor(scene: Scene, { driver, volume, node }: Use, since: InstantMs): string | undefined {
  if (scene.isHidden(driver, volume.volumeId, node)) return 'the driver did the work and answered with a final error';
  if ((scene.kubeletStartedAt(node) ?? -1) >= since) return 'the kubelet restarted and did not find the mount again';
  return undefined;
}
