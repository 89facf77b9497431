// Commands that users type at a whole cluster, one after the other.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';
import { UP_COMMANDS } from './up-kubectl-commands.ts';

const COMMAND_MS_MAX = 120_000;
/** Nodes report, back-offs end and graces run out ten times as fast. */
const SPEED = '10';

const peers = peersFor('commands at a whole cluster', ['kubectl']);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-up-kubectl-'));
let cluster: StartedCluster;

// skipped: without kubectl there is nobody to type
describe.skipIf(peers === undefined)('commands at a whole cluster', () => {
  beforeAll(async () => {
    for (const name of ['bin', 'work']) mkdirSync(path.join(folder, name));
    symlinkSync(peers?.kubectl ?? '', path.join(folder, 'bin', 'kubectl'));
    cluster = await StartedCluster.start(await builtProgram(folder), path.join(folder, 'data'), '--speed', SPEED);
  }, 120_000);
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(UP_COMMANDS)('P-UP-21 $line -> as on a cluster', ({ line, says, code }) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
      encoding: 'utf8',
      cwd: path.join(folder, 'work'),
      timeout: COMMAND_MS_MAX,
      // Discovery is cached below HOME.
      env: {
        ...process.env,
        HOME: folder,
        KUBECONFIG: cluster.kubeconfig,
        PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
      },
    });
    expect([status, `${stdout}${stderr}`]).toEqual([code, expect.stringMatching(says)]);
  });
});
