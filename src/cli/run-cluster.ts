// Puts a whole cluster together in one process: the server behind its door, and the embedded world around it.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { writeOwned } from '../apiserver/http/certificates/authority.ts';
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { keyFrom } from '../kube/object.ts';
import { Namespaces } from '../kube/resources/namespace.ts';
import { chaoticWorld } from '../simulation/chaos/chaotic-world.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type ProgramParts, programParts } from '../worlds/component-parts.ts';
import { PROGRAMS_WITH_PARTS } from '../worlds/component-switches.ts';
import { type ClusterSize, sizeOf } from '../worlds/embedded-shape.ts';
import { metricsApi, registerMetricsApi } from '../worlds/metrics-api.ts';
import { NodeServers, answeringNodes } from '../worlds/node-servers.ts';
import { WrittenClaims } from '../worlds/written-claims.ts';
import { clusterCounts, countsLine } from './cluster-counts.ts';
import { CommandError } from './command-error.ts';
import { EXAMPLE } from './example.ts';
import { CHAOS } from './identities.ts';
import { type Asked, addedTo, decideShape, keepShape, keptShape } from './kept-cluster.ts';
import { openLogFile } from './log-file.ts';
import { writeRunning } from './running-file.ts';
import { serveApi } from './serve-api.ts';

export interface ClusterOptions {
  readonly directory: string;
  readonly port: number;
  readonly speed: number;
  readonly kubeconfigs: readonly string[];
  /** What the user said of it; a cluster that exists keeps its own. */
  readonly asked: Asked;
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
  const kept = keptShape(directory);
  const shape = decideShape(kept, asked);
  if (typeof shape === 'string') throw new CommandError(shape);
  const components = programParts(shape);
  refuseFastStrangers(components, speed);
  mkdirSync(directory, { recursive: true });
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
  const { server, store, storage, clock, random, rootCa, nodeDoor } = api;
  const log = openLogFile(path.join(directory, 'components.log'), clock);
  const { world, faults, startChaos } = chaoticWorld({
    shape,
    server,
    store,
    storage,
    clock,
    random,
    rootCa,
    log,
    claimChanges: claims,
    // Where time runs faster no real program may stand beside ours, and there is nothing to elect.
    candidate: speed === 1 ? candidateOf(store) : undefined,
    servingOf: (node) => nodeServers.servingOf(node),
  });
  const isReachable = (node: string): boolean => faults.isReachable(node);
  await nodeServers.open(answeringNodes(shape), { ...nodeDoor, isReachable });
  await registerMetricsApi(server, clock.now());
  await world.furnish(addedTo(kept, shape));
  // Last: a start that did not come this far is made again.
  keepShape(directory, shape);
  const example = path.join(directory, 'example.yaml');
  writeOwned(example, EXAMPLE);
  world.start();
  await startChaos(CHAOS);
  await world.decided();
  api.announce();
  const startedAt = new Date().toISOString();
  const { address } = api;
  const { profile } = shape;
  const { version } = manifest;
  const forget = writeRunning(directory, { pid: process.pid, version, address, startedAt, speed, profile, components });
  const close = async (): Promise<void> => {
    forget();
    world.stop();
    await Promise.all([nodeServers.close(), api.close()]);
    log.close();
  };
  const status = (): string => countsLine(clusterCounts((resource) => store.all(resource)));
  return { address, size: sizeOf(shape), example, status, close };
}

/** The same after every start, so that what was left behind by a kill is taken back at once; another for every cluster. */
function candidateOf(store: ObjectStore): string {
  const uid = store.get(Namespaces, keyFrom(undefined, 'kube-system'))?.metadata.uid ?? '';
  return `mooring_${uid}`;
}

/** A real program lives by real time, so a cluster that leaves a part to one must do so too. */
function refuseFastStrangers(components: readonly ProgramParts[], speed: number): void {
  const off = components.flatMap(({ program, all, off: parts }) =>
    parts.length === all && all > 0
      ? [program]
      : parts.map((part) => (PROGRAMS_WITH_PARTS.includes(program) ? `${program} of ${part}` : part)),
  );
  if (speed !== 1 && off.length > 0)
    throw new CommandError(`--speed ${speed} needs all components to be ours: ${off.join(', ')} switched off`);
}
