import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

// In a process of its own: one that waits for itself can be ended only from outside.
it('P-HTTP-7 thousands of certificates -> made; the process never waits for its own lock', { timeout: 90_000 }, () => {
  const words = ['scripts/run.mjs', 'test/acceptance/many-keys.ts'];
  const { signal, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
  expect({ signal, stdout }).toEqual({ signal: null, stdout: '12000 made\n' });
});
