// Runs measuring programs one after another, each in a process of its own: nothing else shares its heap or its event loop.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface ProgramRun {
  readonly output: string;
  readonly seconds: number;
  readonly failed: boolean;
}

/** Files of a folder that end in `ending`, in the order of their names. */
export function programsIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  return names.sort().map((name) => join(folder, name));
}

/** One that takes longer than `limitMs` is ended, and has failed. */
export function runProgram(path: string, flags: readonly string[] = [], limitMs?: number): ProgramRun {
  const startedAt = performance.now();
  const child = spawnSync(process.execPath, ['--expose-gc', ...flags, 'scripts/run.mjs', path], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(limitMs === undefined ? {} : { timeout: limitMs, killSignal: 'SIGKILL' as const }),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  return { output: child.stdout, seconds, failed: child.status !== 0 };
}
