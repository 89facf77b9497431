// `npm run start:check`: what a newcomer does first, within bounds. `npm start` builds and brings up a cluster; its nodes answer
// over HTTPS; Ctrl-C ends it with 0.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withCluster } from '../src/cli/cluster-client.ts';
import { Nodes } from '../src/kube/resources/node.ts';

const WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 200;

async function main(): Promise<void> {
  const state = mkdtempSync(path.join(tmpdir(), 'mooring-start-'));
  // A group of its own, as a terminal gives it: Ctrl-C reaches npm, its shell and the program alike.
  const child = spawn('npm', ['start', '--', '--port', '0'], {
    detached: true,
    env: { ...process.env, XDG_STATE_HOME: state },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  try {
    const ready = await readyNodes(path.join(state, 'mooring'), child);
    console.log(`${ready} nodes are ready`);
    signal(child, 'SIGINT');
    const code = await ended;
    if (code !== 0) throw new Error(`npm start ended with ${code} after Ctrl-C`);
    console.log('ended with 0');
  } finally {
    if (child.exitCode === null) signal(child, 'SIGKILL');
    rmSync(state, { recursive: true, force: true });
  }
}

function signal({ pid, exitCode }: ChildProcess, word: NodeJS.Signals): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, word);
}

async function readyNodes(dataDir: string, child: ChildProcess): Promise<number> {
  const until = performance.now() + WITHIN_MS;
  while (performance.now() < until) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    const ready = existsSync(path.join(dataDir, 'kubeconfig')) ? await countReady(dataDir) : 0;
    if (ready === 3) return ready;
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error(`no cluster within ${WITHIN_MS / 1000} s`);
}

function countReady(dataDir: string): Promise<number> {
  return withCluster({ dataDir }, async (cluster) => {
    const { items } = await cluster.list(Nodes);
    const isReady = ({ status }: (typeof items)[number]): boolean =>
      status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
    return items.filter(isReady).length;
  });
}

await main();
