import type { MemoryVolume, NodeUse } from '../../csi/drivers/memory/backend.ts';
import { uniqueVolumeName } from '../../volume/volume-name.ts';
import type { MakeChecker, Tell } from './checker.ts';
import type { Scene } from './scene.ts';

/** A volume for one node is never writable on two at once, and one for a single pod never in two places. */
export const singleWriter: MakeChecker = (scene, tell) => ({
  name: 'single-writer',
  observe(fact) {
    if (fact.type === 'effect' && fact.effect.call === 'NodePublishVolume') {
      const volume = scene.disk(fact.effect.driver, fact.effect.volumeId);
      if (volume !== undefined) check(scene, tell, fact.effect.driver, volume);
    }
    // A machine that was away can write again.
    if (fact.type !== 'fault-ends' || !('node' in fact.fault)) return;
    for (const { driver, volume } of scene.disks()) check(scene, tell, driver, volume);
  },
});

function check(scene: Scene, tell: Tell, driver: string, volume: MemoryVolume): void {
  const writers = volume.targets.filter((use) => !use.readonly && !use.fenced && scene.canWrite(use.nodeName));
  const nodes = [...new Set(writers.map(({ nodeName }) => nodeName))];
  const isOnce = writers.some(isForOnePod);
  const tooMany = isOnce ? writers.length > 1 : nodes.length > 1 && writers.some(isForOneNode);
  if (!tooMany) return;
  const where = nodes.length > 1 ? `nodes ${nodes.join(' and ')}` : `${writers.length} places on ${nodes[0] ?? ''}`;
  const about = `volume ${volume.volumeId}`;
  const excuse = excuseFor(scene, driver, { volume, nodes });
  if (excuse === undefined) tell({ severity: 'violation', about, says: `it is writable on ${where} at once` });
  else tell({ severity: 'known', about, says: `it is writable on ${where} at once: ${excuse}` });
}

const isForOneNode = ({ volumeCapability }: NodeUse): boolean => volumeCapability.accessMode.startsWith('SINGLE_NODE');
const isForOnePod = ({ volumeCapability }: NodeUse): boolean =>
  volumeCapability.accessMode === 'SINGLE_NODE_SINGLE_WRITER';

/** Where upstream itself lets a second writer in. */
function excuseFor(
  scene: Scene,
  driver: string,
  { volume, nodes }: { readonly volume: MemoryVolume; readonly nodes: readonly string[] },
): string | undefined {
  if (!scene.needsAttach(driver)) return 'nothing keeps a volume that needs no attachment to one node';
  const name = uniqueVolumeName({ driver, handle: volume.volumeId });
  const forced = nodes.find((node) => scene.forcedAt(name, node) !== undefined);
  return forced === undefined ? undefined : `it was detached from ${forced} by force, and the driver does not fence`;
}
