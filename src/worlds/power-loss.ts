import type { MemoryBackend, NodeUse } from '../csi/drivers/memory/backend.ts';
import type { MemoryRuntime } from '../kubelet/podworkers/memory-runtime.ts';
import type { SimulatedMachines } from './simulated-nodes.ts';

export interface PowerLoss {
  readonly node: string;
  readonly machines: SimulatedMachines;
  readonly runtime: MemoryRuntime | undefined;
  readonly backends: Iterable<MemoryBackend>;
}

/** A machine that lost power boots: nothing is mounted on it and nothing runs. */
export function losePower({ node, machines, runtime, backends }: PowerLoss): void {
  machines.loseMounts(node);
  runtime?.loseAll();
  const isElsewhere = ({ nodeName }: NodeUse): boolean => nodeName !== node;
  for (const backend of backends) {
    for (const volume of backend.volumes()) {
      backend.put({
        ...volume,
        staged: volume.staged.filter(isElsewhere),
        targets: volume.targets.filter(isElsewhere),
      });
    }
  }
}
