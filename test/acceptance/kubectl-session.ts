// One kubectl, something to type at, and the commands one after the other.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import type { Command } from './kubectl-commands.ts';
import { builtProgram } from './started-server.ts';

interface Started {
  readonly kubeconfig: string;
  stop(): Promise<unknown>;
}

interface KubectlSession {
  readonly peer: 'kubectl' | 'kubectl-old';
  readonly commands: readonly Command[];
  readonly start: (program: string, directory: string) => Promise<Started>;
  /** How long one command may take. */
  readonly commandMsMax: number;
}

export function testCommands({ peer, commands, start, commandMsMax }: KubectlSession): void {
  const peers = peersFor(`commands of ${peer}`, [peer]);
  const folder = mkdtempSync(path.join(tmpdir(), `mooring-${peer}-`));
  let started: Started;

  // skipped: without kubectl there is nobody to type
  describe.skipIf(peers === undefined)(peer, () => {
    beforeAll(async () => {
      for (const name of ['bin', 'work']) mkdirSync(path.join(folder, name));
      symlinkSync(peers?.[peer] ?? '', path.join(folder, 'bin', 'kubectl'));
      started = await start(await builtProgram(folder), path.join(folder, 'data'));
    }, 120_000);
    afterAll(async () => {
      await started.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each(commands)('$line -> as on a cluster', ({ line, says, code }) => {
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], {
        encoding: 'utf8',
        cwd: path.join(folder, 'work'),
        timeout: commandMsMax,
        // Discovery is cached below HOME.
        env: {
          ...process.env,
          HOME: folder,
          KUBECONFIG: started.kubeconfig,
          PATH: `${path.join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
        },
      });
      expect([status, `${stdout}${stderr}`]).toEqual([code, expect.stringMatching(says)]);
    });
  });
}
