// The recorded outages on one running cluster on a fast clock, side by side: each on a node and in a zone of its own, set off
// by kubectl and `mooring chaos` alone, and looked at as any client can.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { isOf } from '../../src/kube/object.ts';
import { Events } from '../../src/kube/resources/event.ts';
import { type Node, Nodes } from '../../src/kube/resources/node.ts';
import { type PersistentVolume, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { Faults } from '../../src/simulation/chaos/fault-object.ts';
import { peersFor } from '../peers.ts';
import { type Tolerance, compare, printComparison } from '../truth/timelines/compare.ts';
import { Diary } from '../truth/timelines/diary.ts';
import type { Played } from '../truth/timelines/play.ts';
import { CLASS, DRIVER, manifestsOf } from '../truth/timelines/recorded-workloads.ts';
import { type Action, type Recording, loadRecordings } from '../truth/timelines/recording.ts';
import { OutageWatch, type SeenWrite } from './outage-watch.ts';
import { StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';

const peers = peersFor('kubectl and the recorded outages', ['kubectl']);
const KUBECTL = peers?.kubectl ?? '';
const SPEED = 60;
/** Times are known to the next renewal of a lease; a program takes a moment to start, in which minutes may pass. */
const TOLERANCE: Tolerance = { exact: 3, operator: 120, order: 3 };
/** People begin what they do this much before its time: until it is done a minute may have passed. None may be early. */
const LEAD_S: Readonly<Partial<Record<Action['what'], number>>> = { taint: 60, 'delete-node': 60, 'force-delete': 30 };
const RECORDINGS = loadRecordings(
  process.env['MOORING_TIMELINES'] ??
    path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'truth', 'timelines'),
);

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-outages-'));
const watch = new OutageWatch();
let program: string;
let cluster: StartedCluster;
let client: KubeClient;

/** Each failing node shares a zone with one that stays, so that no zone is disrupted; three others take what moves. */
function clusterFile(): string {
  const failing = RECORDINGS.map(({ failingNode }) => failingNode);
  return stringify({
    nodes: [
      ...failing.flatMap((name) => [name, `${name}-keeper`].map((each) => ({ name: each, zone: `zone-${name}` }))),
      ...['b1', 'b2', 'b3'].map((name) => ({ name, zone: `zone-${name}` })),
    ],
    drivers: [
      {
        name: DRIVER,
        capabilities: {
          controller: ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'],
          node: ['STAGE_UNSTAGE_VOLUME'],
        },
      },
    ],
    classes: [{ name: CLASS, driver: DRIVER, waitForFirstConsumer: true }],
  });
}

/** Waits for it without holding up what the watches bring. */
function run(command: string, words: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, HOME: cluster.directory, KUBECONFIG: cluster.kubeconfig };
    const child = spawn(command, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    let told = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (told += chunk.toString('utf8')));
    child.once('close', (code) => (code === 0 ? resolve(told) : reject(new Error(`${words.join(' ')}: ${told}`))));
    child.stdin.end(input);
  });
}
const kubectl = (...words: readonly string[]): Promise<string> => run(KUBECTL, words);
const chaos = (...words: readonly string[]): Promise<string> => run(process.execPath, [program, 'chaos', ...words]);

const crashOf = ({ failingNode: node }: Recording): object => ({
  apiVersion: 'chaos.mooring.dev/v1alpha1',
  kind: 'Fault',
  metadata: { name: `${node}-crash` },
  spec: { type: 'node-crash', node },
});

/** What people do. Two of them must not be late, and do it over HTTPS without waiting for a program to start. */
async function act({ what }: Action, { failingNode, actions, workloads }: Recording): Promise<unknown> {
  const [workload = ''] = Object.keys(workloads);
  const user = client.as('operator');
  switch (what) {
    case 'partition': {
      const healed = actions.find((each) => each.what === 'heal')?.t ?? 0;
      return chaos('node', 'partition', failingNode, '--from', 'api', '--for', `${healed}s`);
    }
    case 'taint': {
      const node = watch.objects(Nodes).find(({ metadata }) => metadata.name === failingNode);
      const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
      const taints = [...(node?.spec.taints ?? []), taint];
      return user.patch(Nodes, failingNode, { type: 'merge', body: { spec: { taints } } });
    }
    case 'delete-node':
      return user.delete(Nodes, failingNode);
    case 'force-delete':
      return kubectl('delete', 'pod', `${workload}-0`, '--force', '--grace-period=0', '--wait=false');
    case 'drain':
      return kubectl('drain', failingNode, '--ignore-daemonsets', '--timeout=120s');
    default:
      return undefined;
  }
}

interface Zero {
  readonly revision: number;
  /** In milliseconds of the cluster. */
  readonly at: number;
}

/** When the outage began: the fault was made, or drain began as long before its eviction as recorded. */
function zeroOf({ failingNode, workloads }: Recording): Zero | undefined {
  const made = watch.first((object) => isOf(Faults, object) && object.spec['node'] === failingNode);
  if (made !== undefined) return { revision: made.revision, at: watch.clock()(made.revision) };
  const isCordoned = ({ metadata, spec }: Node): boolean =>
    metadata.name === failingNode && spec.unschedulable === true;
  const cordoned = watch.first((object) => isOf(Nodes, object) && isCordoned(object));
  const [name = '', workload] = Object.entries(workloads)[0] ?? [];
  const isEvicted = ({ metadata }: Pod): boolean =>
    metadata.labels?.['app'] === name && metadata.deletionTimestamp !== undefined;
  const evicted = watch.first((object) => isOf(Pods, object) && isEvicted(object));
  if (cordoned === undefined || evicted === undefined) return undefined;
  const evictedAfter = workload?.pods[0]?.milestones['deletionTimestamp'] ?? 0;
  return { revision: cordoned.revision, at: watch.clock()(evicted.revision) - evictedAfter * 1000 };
}

const begun = (recording: Recording): Zero => zeroOf(recording) ?? expect.fail(`${recording.name} never began`);

/** All nodes crash together; each later action comes when it is due; it is over with the last record. */
async function playAll(): Promise<void> {
  const items = RECORDINGS.filter(({ actions }) => actions[0]?.what === 'crash').map(crashOf);
  await run(KUBECTL, ['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  await Promise.all(RECORDINGS.map((recording) => playOn(recording)));
  const over = Math.max(...RECORDINGS.map((recording) => begun(recording).at + endOf(recording) * 1000));
  // Until a renewal later than the last write that counts: it tells the time of that write.
  await watch.until(() => watch.now > over + 20_000, 120_000, 'the end of the last record');
}

async function playOn(recording: Recording): Promise<void> {
  const [first, ...later] = recording.actions;
  const isDrain = first?.what === 'drain-start';
  if (first?.what !== 'crash') await act(isDrain ? { t: 0, what: 'drain' } : { t: 0, what: 'partition' }, recording);
  await watch.until(() => zeroOf(recording) !== undefined, 20_000, `the beginning of ${recording.name}`);
  const zero = begun(recording).at;
  for (const action of isDrain ? [] : later) {
    const due = zero + (action.t - (LEAD_S[action.what] ?? 0)) * 1000;
    await watch.until(() => watch.now >= due, 60_000, `the time of ${recording.name} ${action.what}`);
    await act(action, recording);
  }
}

/** Somebody who may act late is watched for as much longer. */
const endOf = ({ end, actions }: Recording): number => end.t + (actions.length > 1 ? TOLERANCE.operator : 0);

/** Whether the write is about the workloads or the node of this outage. */
function concerns({ workloads, failingNode }: Recording, volumes: ReadonlySet<string>, write: SeenWrite): boolean {
  const object = write.after ?? write.before;
  if (object === undefined) return false;
  if (isOf(Pods, object)) return Object.keys(workloads).includes(object.metadata.labels?.['app'] ?? '');
  if (isOf(VolumeAttachments, object)) return volumes.has(object.spec.source.persistentVolumeName ?? '');
  return isOf(Events, object) || (isOf(Nodes, object) && object.metadata.name === failingNode);
}

function played(recording: Recording): Played {
  const zero = begun(recording);
  const at = watch.clock();
  const names = Object.keys(recording.workloads);
  const claims = new Set(names.flatMap((name) => [`data-${name}`, `data-${name}-0`]));
  const all: readonly PersistentVolume[] = watch.objects(PersistentVolumes);
  const volumes = new Set(
    all.filter(({ spec }) => claims.has(spec.claimRef?.name ?? '')).map(({ metadata }) => metadata.name),
  );
  const diary = new Diary(recording);
  let isBegun = false;
  for (const write of watch.writes) {
    const time = at(write.revision);
    if (!concerns(recording, volumes, write) || time > zero.at + endOf(recording) * 1000) continue;
    if (!isBegun && write.revision >= zero.revision) diary.begin(zero.at);
    isBegun ||= write.revision >= zero.revision;
    diary.note(write, time);
  }
  const isCrash = recording.actions[0]?.what === 'crash';
  const lease = isCrash
    ? { lastLeaseRenewal: (watch.lastRenewal(recording.failingNode, zero.revision) - zero.at) / 1000 }
    : {};
  return { ...lease, ...diary.read(), end: { t: recording.end.t, ...diary.endState() } };
}

// skipped: without kubectl there is nobody to act
describe.skipIf(peers === undefined)('recorded outages on a running cluster', () => {
  beforeAll(async () => {
    program = await builtProgram(folder);
    const config = path.join(folder, 'cluster.yaml');
    writeFileSync(config, clusterFile());
    cluster = await StartedCluster.start(program, path.join(folder, 'c'), '--speed', String(SPEED), '--config', config);
    client = connect({
      clock: new SystemClock(),
      environment: {},
      home: homedir(),
      kubeconfig: cluster.kubeconfig,
      random: new SeededRandom(1),
      log: { write: () => undefined },
    });
    watch.start(client.as('observer'));
    const items = RECORDINGS.flatMap(manifestsOf).map(({ draft }) => draft);
    await run(KUBECTL, ['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const pods = RECORDINGS.flatMap(({ workloads }) => Object.keys(workloads)).length;
    const isRunning = (): boolean =>
      watch.objects(Pods).filter(({ status }) => status.phase === 'Running').length === pods;
    await watch.until(isRunning, 60_000, 'all pods Running');
    await playAll();
  }, 240_000);
  afterAll(async () => {
    client?.close();
    await cluster?.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  for (const recording of RECORDINGS) {
    test(`P-CHAOS-8 ${recording.name} ${recording.title} -> the same milestones in order, the same events and end`, () => {
      const comparison = compare(recording, played(recording), TOLERANCE);
      const columns = printComparison(recording, comparison);
      if (process.env['MOORING_COLUMNS'] !== undefined) process.stdout.write(`${columns}\n`);
      expect(comparison.faults, columns).toEqual([]);
    });
  }
});
