// Every kubectl command of the documents that the project grew from, typed by a new and by an older kubectl at once. Each has
// a cluster of its own: the volumes without a class that the script makes would bind to the claims of the other as well. The
// script waits in real time and compares ages with the machine's clock, so the clusters run at the speed of the machine.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';

const SCRIPT = path.resolve('test/acceptance/kubectl-seeds.sh');
const VERSIONS = ['kubectl', 'kubectl-old'] as const;
type Version = (typeof VERSIONS)[number];
const peers = peersFor('commands of the seeds', VERSIONS);

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-seeds-'));
let clusters: readonly StartedCluster[] = [];

/** What the script printed: a line a check, and two sums. */
async function played(version: Version, cluster: StartedCluster): Promise<string> {
  const home = path.join(folder, `home of ${version}`);
  mkdirSync(home);
  const env = { ...process.env, HOME: home, KUBECONFIG: cluster.kubeconfig, KUBECTL: peers?.[version], WAIT: '90' };
  const child = spawn('bash', [SCRIPT], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  await new Promise((resolve) => child.once('close', resolve));
  return said;
}

/** Failed checks, each with the lines that say why. */
const failures = (said: string): readonly string[] => said.match(/^FAIL .*(?:\n {7}.*)*/gm) ?? [];

// skipped: without kubectl there is nobody to type
describe.skipIf(peers === undefined)('the commands of the seeds', () => {
  beforeAll(async () => {
    const program = await builtProgram(folder);
    clusters = await Promise.all(VERSIONS.map((each) => StartedCluster.start(program, path.join(folder, each))));
    const ready = ['wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s'];
    for (const cluster of clusters) expect(cluster.kubectl(peers?.kubectl ?? '', ...ready).code).toBe(0);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(clusters.map((cluster) => cluster.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  test('P-UP-20 both kubectls at once -> every MUST check passes, and the others are counted', async () => {
    const all = await Promise.all(
      clusters.map(async (cluster, index) => {
        const version = VERSIONS[index] ?? 'kubectl';
        return { version, said: await played(version, cluster) };
      }),
    );
    for (const { version, said } of all) {
      const sums = said.match(/^(?:can-FAIL .*|CAN: .*|\d+ passed, .*)$/gm) ?? [];
      process.stdout.write(`${version}: ${sums.join('; ')}\n`);
      expect(failures(said)).toEqual([]);
      expect(said).toMatch(/^1\d\d passed, 0 failed$/m);
    }
  }, 600_000);
});
