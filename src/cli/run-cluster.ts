// Puts a whole cluster together in one process: the server behind its door, and the embedded world around it.
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeOwned } from '../apiserver/http/certificates/authority.ts';
import { chaoticWorld } from '../simulation/chaos/chaotic-world.ts';
import { type ClusterSize, embeddedShape } from '../worlds/embedded-shape.ts';
import { metricsApi, registerMetricsApi } from '../worlds/metrics-api.ts';
import { NodeServers } from '../worlds/node-servers.ts';
import { WrittenClaims } from '../worlds/written-claims.ts';
import { clusterCounts, countsLine } from './cluster-counts.ts';
import { CommandError } from './command-error.ts';
import { EXAMPLE } from './example.ts';
import { CHAOS } from './identities.ts';
import { openLogFile } from './log-file.ts';
import { serveApi } from './serve-api.ts';

const DEFAULT_SIZE: ClusterSize = { nodes: 3, zones: 2 };

export interface ClusterOptions {
  readonly directory: string;
  readonly port: number;
  readonly speed: number;
  readonly kubeconfigs: readonly string[];
  /** What the user said of its size; a cluster that exists keeps its own. */
  readonly asked: { readonly nodes: number | undefined; readonly zones: number | undefined };
}

export interface RunningCluster {
  readonly address: string;
  readonly size: ClusterSize;
  /** A manifest to try. */
  readonly example: string;
  /** How it stands, in one line. */
  status(): string;
  close(): Promise<void>;
}

export async function runCluster(options: ClusterOptions): Promise<RunningCluster> {
  const { directory, port, speed, kubeconfigs, asked } = options;
  const sizeFile = path.join(directory, 'cluster.json');
  const kept = keptSize(sizeFile);
  const size = sizeOf(kept, asked);
  const shape = embeddedShape(size);
  const nodes = shape.nodes.map(({ name }) => name);
  const claims = new WrittenClaims();
  const nodeServers = new NodeServers();
  const api = await serveApi({
    directory,
    port,
    store: 'embedded',
    kubeconfigs,
    nodes,
    speed,
    made: metricsApi(() => nodeServers.figures()),
    onCommit: (commit) => claims.committed(commit),
  });
  const { server, store, clock, random, rootCa, nodeDoor } = api;
  const log = openLogFile(path.join(directory, 'components.log'), clock);
  const { world, faults, startChaos } = chaoticWorld({
    ...{ shape, server, store, clock, random, rootCa, log },
    claimChanges: claims,
    servingOf: (node) => nodeServers.servingOf(node),
  });
  const isReachable = (node: string): boolean => faults.isReachable(node);
  await nodeServers.open(nodes, { ...nodeDoor, isReachable });
  await registerMetricsApi(server, clock.now());
  if (kept === undefined) {
    await world.furnish();
    // Last: a start that did not come this far is made again.
    writeOwned(sizeFile, `${JSON.stringify(size)}\n`);
  }
  const example = path.join(directory, 'example.yaml');
  writeOwned(example, EXAMPLE);
  world.start();
  await startChaos(CHAOS);
  const close = async (): Promise<void> => {
    world.stop();
    await Promise.all([nodeServers.close(), api.close()]);
    log.close();
  };
  const status = (): string => countsLine(clusterCounts((resource) => store.all(resource)));
  return { address: api.address, size, example, status, close };
}

function sizeOf(kept: ClusterSize | undefined, { nodes, zones }: ClusterOptions['asked']): ClusterSize {
  if (kept === undefined) {
    const count = nodes ?? DEFAULT_SIZE.nodes;
    const size = { nodes: count, zones: zones ?? Math.min(DEFAULT_SIZE.zones, count) };
    if (size.zones > size.nodes) throw new CommandError(`${size.zones} zones need as many nodes, not ${size.nodes}`);
    return size;
  }
  if ((nodes ?? kept.nodes) !== kept.nodes || (zones ?? kept.zones) !== kept.zones)
    throw new CommandError(
      `the cluster in this data directory has ${kept.nodes} nodes in ${kept.zones} zones and keeps them; another size needs another --data-dir`,
    );
  return kept;
}

/** undefined: there is no cluster yet. */
function keptSize(file: string): ClusterSize | undefined {
  let text: string;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`cannot read ${file}: ${code ?? message}`);
  }
  const size = parsedSize(text);
  if (size === undefined)
    throw new CommandError(`${file} is damaged: it should read like ${JSON.stringify(DEFAULT_SIZE)}`);
  return size;
}

function parsedSize(text: string): ClusterSize | undefined {
  try {
    const { nodes, zones } = JSON.parse(text) as Partial<Record<string, unknown>>;
    const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;
    return isCount(nodes) && isCount(zones) && zones <= nodes ? { nodes, zones } : undefined;
  } catch {
    return undefined;
  }
}
