// One started server, one kubectl, and the commands one after the other.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { COMMANDS } from './kubectl-commands.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const COMMAND_MS_MAX = 30_000;

export function testCommands(peer: 'kubectl' | 'kubectl-old'): void {
  const peers = peersFor(`commands of ${peer}`, [peer]);
  const folder = mkdtempSync(path.join(tmpdir(), `mooring-${peer}-`));
  let server: StartedServer;

  // skipped: without kubectl there is nothing to type
  describe.skipIf(peers === undefined)(peer, () => {
    beforeAll(async () => {
      for (const name of ['bin', 'work']) mkdirSync(path.join(folder, name));
      symlinkSync(peers?.[peer] ?? '', path.join(folder, 'bin', 'kubectl'));
      server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'), '--store', 'memory');
    }, 120_000);
    afterAll(async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each(COMMANDS)('P-HTTP-14 $line -> as on a cluster', ({ line, says, code }) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
        encoding: 'utf8',
        cwd: path.join(folder, 'work'),
        timeout: COMMAND_MS_MAX,
        // Discovery is cached below HOME.
        env: {
          ...process.env,
          HOME: folder,
          KUBECONFIG: server.kubeconfig,
          PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        },
      });
      expect([status, `${stdout}${stderr}`]).toEqual([code, expect.stringMatching(says)]);
    });
  });
}
