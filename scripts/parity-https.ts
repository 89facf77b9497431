// Plays recorded scenarios over HTTPS against a `mooring up` of the cluster that they were recorded on, with the recordings'
// own player and real kubectl for its configuration.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StartedCluster } from '../test/acceptance/started-cluster.ts';
import { builtProgram } from '../test/acceptance/started-server.ts';
import { findPeer } from '../test/peers-found.ts';

const CLUSTER_FILE = 'test/truth/parity-cluster.yaml';
const PLAYER = 'test/truth/parity/parity.mjs';
/** Scenarios about parts that are not built yet. */
const LATER = '^(?!snapshot-)';

export interface HttpsRun {
  readonly paths: readonly string[];
  readonly only: string | undefined;
  /** How many are played side by side; those that need the cluster for themselves come afterwards. */
  readonly jobs: string;
}

/** Answers the player's exit code. */
export async function playOverHttps({ paths, only, jobs }: HttpsRun): Promise<number> {
  const kubectl = findPeer('kubectl');
  if (kubectl === undefined) throw new Error('no kubectl: scripts/peers.sh kubectl builds it');
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-parity-'));
  const program = await builtProgram(folder);
  const cluster = await StartedCluster.start(program, path.join(folder, 'cluster'), '--config', CLUSTER_FILE);
  try {
    const ready = cluster.kubectl(kubectl, 'wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s');
    if (ready.code !== 0) throw new Error(ready.err);
    const env = { ...process.env, KUBECTL: kubectl, HOME: folder };
    const play = (which: string, at: string): Promise<Outcome> =>
      played(['check', '--kubeconfig', cluster.kubeconfig, '--jobs', at, '--only', which, ...paths], env);
    const { code, failed } = await play(only ?? LATER, jobs);
    if (failed.length === 0) return code;
    // Beside seven others two components may meet at one object that do not meet on a quiet cluster; alone they must not.
    process.stdout.write(`again, one at a time: ${failed.join(', ')}\n`);
    return (await play(`^(${failed.join('|')})$`, '1')).code;
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Outcome {
  readonly code: number;
  readonly failed: readonly string[];
}

function played(words: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const player = spawn(process.execPath, [PLAYER, ...words], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    player.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      process.stdout.write(text);
    });
    player.once('error', reject);
    player.once('close', (code) => {
      const failed = [...said.matchAll(/^FAIL (\S+)/gm)].map(([, name = '']) => name);
      resolve({ code: code ?? 1, failed });
    });
  });
}
