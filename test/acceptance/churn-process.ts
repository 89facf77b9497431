// Pods with claims that come and go on a `mooring up` of its own, on a fast clock and under random chaos, asked as any client
// can ask: what is left of them in the API, and in the process.
import { setTimeout as pause } from 'node:timers/promises';
import { MINUTE_MS } from '../../src/base/clock.ts';
import { type Random, SeededRandom } from '../../src/base/random.ts';
import { ClusterClient } from '../perf/cluster-client.ts';
import { CHAOS_LASTS_MS, claimNamed, drawnFaults, podNamed } from './churned-objects.ts';
import { type Held, StartedCluster } from './started-cluster.ts';

/** Real time, for whatever has to come. */
const WAITS_MS_MAX = 5 * MINUTE_MS;
const LOOK_EVERY_MS = 1000;
const IN_DEFAULT = '/api/v1/namespaces/default';
const FAULT_PATH = '/apis/chaos.mooring.dev/v1alpha1/faults';
/** What faults reach, but for nodes and drivers. */
const COMPONENTS = [
  'default-scheduler',
  'persistentvolume-controller',
  'attachdetach-controller',
  'kube-controller-manager',
  'csi-provisioner',
  'csi-attacher',
  'kubelet/node-a',
] as const;

export interface ProcessChurn {
  readonly program: string;
  readonly directory: string;
  /** Each holds 110 pods. */
  readonly nodes: number;
  readonly pods: number;
  readonly rounds: number;
  readonly speed: number;
  readonly chaosSeed: number;
  /** How long it is left alone before what it holds in the end is asked; real time. */
  readonly restMs: number;
}

interface Left {
  /** By kind; those without any are absent. */
  readonly objects: Readonly<Record<string, number>>;
  readonly held: Held;
}

export interface ProcessChurned {
  /** Of pods that ran, in each round. */
  readonly running: readonly number[];
  readonly empty: Left;
  readonly left: Left;
}

export async function churnProcess(churn: ProcessChurn): Promise<ProcessChurned> {
  const { program, directory, nodes, speed, restMs, rounds } = churn;
  const cluster = await StartedCluster.startProbed(program, directory, '--nodes', `${nodes}`, '--speed', `${speed}`);
  // A connection of its own for each question: the server closes those that are silent for long.
  const asked = async <T>(ask: (client: ClusterClient) => Promise<T>): Promise<T> => {
    const client = new ClusterClient(cluster.kubeconfig);
    try {
      return await ask(client);
    } finally {
      client.close();
    }
  };
  const eventsGone = (client: ClusterClient): Promise<void> =>
    until(async () => (await client.list('/api/v1/events')).length === 0);
  const leftAfter = async (ms: number): Promise<Left> => {
    await pause(ms);
    // They go after an hour of the cluster, which on a busy machine is longer than an hour divided by its speed.
    await asked(eventsGone);
    const objects = await asked(countsOf);
    // Connections that were just closed, ours among them, take a moment to go.
    await until(async () => !('TCPSocketWrap' in (await cluster.held()).resources));
    return { objects, held: await cluster.held() };
  };
  try {
    // Of each node something is heard when it comes.
    await asked((client) => until(async () => (await client.list('/api/v1/events')).length >= nodes));
    const empty = await leftAfter(0);
    const running: number[] = [];
    for (let round = 0; round < rounds; round++) running.push(await asked((client) => comeAndGo(client, churn, round)));
    return { running, empty, left: await leftAfter(restMs) };
  } finally {
    await cluster.stop();
  }
}

/** How many of the pods ran. */
async function comeAndGo(client: ClusterClient, churn: ProcessChurn, round: number): Promise<number> {
  const { pods, speed, chaosSeed } = churn;
  const chaos = new SeededRandom(chaosSeed);
  const names = Array.from({ length: pods }, (_, index) => `pod-${index}`);
  await client.createAll(`${IN_DEFAULT}/persistentvolumeclaims`, names.map(claimNamed));
  await client.createAll(`${IN_DEFAULT}/pods`, names.map(podNamed));
  await disturbed(client, chaos.fork(`start ${round}`), speed);
  await until(async () => (await countRunning(client)) === pods);
  const ran = await countRunning(client);
  for (const kind of ['pods', 'persistentvolumeclaims'])
    await client.deleteAll(names.map((name) => `${IN_DEFAULT}/${kind}/${name}`));
  await disturbed(client, chaos.fork(`end ${round}`), speed);
  const kinds = ['/api/v1/pods', '/api/v1/persistentvolumes', '/apis/storage.k8s.io/v1/volumeattachments'];
  await until(async () => {
    const lists = await Promise.all(kinds.map((kind) => client.list(kind)));
    return lists.every((items) => items.length === 0);
  });
  return ran;
}

async function countRunning(client: ClusterClient): Promise<number> {
  const pods = await client.list(`${IN_DEFAULT}/pods`);
  return pods.filter(({ status }) => status?.['phase'] === 'Running').length;
}

/** Faults for some minutes of the cluster; then they are deleted, as `mooring chaos clear` does. */
async function disturbed(client: ClusterClient, random: Random, speed: number): Promise<void> {
  const faults = drawnFaults(random, COMPONENTS);
  for (const fault of faults) {
    await client.create(FAULT_PATH, fault);
    await pause(CHAOS_LASTS_MS / faults.length / speed);
  }
  await client.deleteAll(faults.map(({ metadata }) => `${FAULT_PATH}/${metadata.name}`));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAITS_MS_MAX;
  while (performance.now() < deadline && !(await holds())) await pause(LOOK_EVERY_MS);
}

interface Kinds {
  readonly resources: readonly { readonly name: string; readonly verbs: readonly string[] }[];
}

/** Of every kind that the server serves, in its preferred version. */
async function countsOf(client: ClusterClient): Promise<Readonly<Record<string, number>>> {
  const groups = JSON.parse(await client.text('/apis')) as {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
  };
  const paths = ['/api/v1', ...groups.groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const counts: Record<string, number> = {};
  for (const path of paths) {
    const { resources } = JSON.parse(await client.text(path)) as Kinds;
    for (const { name, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list')) continue;
      const { length } = await client.list(`${path}/${name}`);
      if (length > 0) counts[`${path}/${name}`] = length;
    }
  }
  return counts;
}
