// The cluster of the recordings, from the one file that describes it; and its three CSI drivers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryDriverConfig } from '../../../src/csi/drivers/memory/config.ts';
import { readClusterFile } from '../../../src/simulation/cluster-section.ts';
import type { ClusterShape } from '../../../src/worlds/cluster-shape.ts';

/** From where npm runs: a bundled program does not lie beside the file. */
export const PARITY_CLUSTER_FILE = path.resolve('test/truth/parity-cluster.yaml');

/** What the recordings ask of a cluster: three nodes, three drivers, no default class. */
export const PARITY_SHAPE: ClusterShape = readClusterFile(
  PARITY_CLUSTER_FILE,
  readFileSync(PARITY_CLUSTER_FILE, 'utf8'),
);

/** `scenarios/params.json` */
function driver(name: string): MemoryDriverConfig {
  const found = PARITY_SHAPE.drivers.find((each) => each.driver.name === name);
  if (found === undefined) throw new Error(`no driver ${name} in ${PARITY_CLUSTER_FILE}`);
  return found.driver;
}

export const HOSTPATH_DRIVER = driver('hostpath.csi.k8s.io');
export const TOPOLOGY_DRIVER = driver('topo.hostpath.csi.k8s.io');
export const PLAIN_DRIVER = driver('plain.hostpath.csi.k8s.io');
export const PARITY_DRIVERS = [HOSTPATH_DRIVER, TOPOLOGY_DRIVER, PLAIN_DRIVER] as const;
