import type { MemoryVolume } from '../../csi/drivers/memory/backend.ts';
import { keyFrom } from '../../kube/object.ts';
import type { MakeChecker } from './checker.ts';
import type { Scene } from './scene.ts';

/** When all is well, nothing is mounted that no pod uses. */
export const noLeakedMount: MakeChecker = (scene, tell) => ({
  name: 'no-leaked-mount',
  observe() {},
  atRest() {
    for (const use of usesOf(scene)) {
      if (isWanted(scene, use)) continue;
      const { volumeId } = use.volume;
      const excuse = excuseFor(scene, use);
      tell({
        severity: excuse === undefined ? 'violation' : 'known',
        about: `volume ${volumeId}`,
        says: `it is mounted on ${use.node}, where no pod uses it${excuse === undefined ? '' : `: ${excuse}`}`,
      });
    }
  },
});

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
function excuseFor(scene: Scene, { driver, volume, node }: Use): string | undefined {
  if (scene.isHidden(driver, volume.volumeId, node)) return 'the driver did the work and answered with a final error';
  if (scene.isForgotten(driver, volume.volumeId, node)) return 'the kubelet restarted and did not find the mount again';
  return undefined;
}
