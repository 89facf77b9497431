// Our API server with its embedded store against a real kube-apiserver on a real etcd: the same client, the same load, one
// after the other on the same machine. Everything that is acknowledged is durable on both sides.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { startRealApiServer } from '../acceptance/real-api-server.ts';
import { StartedServer, builtProgram } from '../acceptance/started-server.ts';
import { findPeer } from '../peers-found.ts';
import { ApiLoad } from './api-load.ts';

const OBJECTS = 10_000;
const WRITERS = 64;

interface Figures {
  readonly startMs: number;
  readonly creates: number;
  readonly patches: number;
  readonly listMs: number;
  readonly watchMs: number;
  readonly memory: number;
}

async function measure(kubeconfig: string, startMs: number, pids: readonly number[]): Promise<Figures> {
  const load = new ApiLoad(kubeconfig);
  const creates = await load.creates(OBJECTS, WRITERS);
  const patches = await load.statusPatches(OBJECTS / 2, WRITERS);
  const { ms: listMs } = await load.list(5);
  const memory = pids.reduce((sum, pid) => sum + residentMebibytes(pid), 0);
  const watchMs = await load.watchDelays({ watchers: 200, writes: 100, everyMs: 20 });
  load.close();
  return { startMs, creates, patches, listMs, watchMs, memory };
}

const residentMebibytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

async function ours(folder: string): Promise<Figures> {
  const program = await builtProgram(folder);
  const startedAt = performance.now();
  const server = await StartedServer.start(program, path.join(folder, 'ours'));
  try {
    return await measure(server.kubeconfig, performance.now() - startedAt, [server.pid]);
  } finally {
    await server.stop('SIGKILL');
  }
}

async function theirs(folder: string, peers: Readonly<Record<'etcd' | 'kube-apiserver', string>>): Promise<Figures> {
  const startedAt = performance.now();
  const server = await startRealApiServer(peers, path.join(folder, 'theirs'), { isDurable: true });
  try {
    return await measure(server.kubeconfig, performance.now() - startedAt, server.pids);
  } finally {
    await server.stop();
  }
}

function report(a: Figures, b: Figures): void {
  const line = (name: string, [x, y]: readonly [number, number], unit: string): void =>
    reportRatio({
      name: `apiserver-${name}`,
      ratio: x / y,
      measured: `${x.toFixed(1)} ${unit}`,
      against: `${y.toFixed(1)} ${unit} of kube-apiserver and etcd`,
    });
  line('create', [1000 / a.creates, 1000 / b.creates], 'ms a claim, 64 writers');
  line('status-patch', [1000 / a.patches, 1000 / b.patches], 'ms a patch, 64 writers');
  line('list-10000', [a.listMs, b.listMs], 'ms');
  line('watch-200-p99', [a.watchMs, b.watchMs], 'ms');
  line('memory-10000', [a.memory, b.memory], 'MiB');
  line('start', [a.startMs, b.startMs], 'ms');
}

const [etcd, apiserver] = [findPeer('etcd'), findPeer('kube-apiserver')];
if (etcd === undefined || apiserver === undefined) {
  process.stderr.write('SKIPPED: no etcd or kube-apiserver (scripts/peers.sh builds them): nothing to compare with\n');
} else {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-bench-'));
  try {
    const a = await ours(folder);
    report(a, await theirs(folder, { etcd, 'kube-apiserver': apiserver }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
