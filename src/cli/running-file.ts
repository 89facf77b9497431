// What a running cluster tells of itself to commands beside it: a file in its data directory that is there while it runs.
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { writeOwned } from '../apiserver/http/certificates/authority.ts';
import type { ProgramParts } from '../worlds/component-parts.ts';

export interface Running {
  readonly pid: number;
  readonly version: string;
  /** `https://127.0.0.1:6443` */
  readonly address: string;
  /** Real time. */
  readonly startedAt: string;
  readonly speed: number;
  readonly profile: string;
  readonly components: readonly ProgramParts[];
}

const fileOf = (directory: string): string => path.join(directory, 'running.json');

/** Answers how to take it away again. */
export function writeRunning(directory: string, running: Running): () => void {
  writeOwned(fileOf(directory), `${JSON.stringify(running, undefined, 2)}\n`);
  return () => rmSync(fileOf(directory), { force: true });
}

/** undefined: there is none, or nobody can read it. */
export function readRunning(directory: string): Running | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(directory), 'utf8')) as Running;
  } catch {
    return undefined;
  }
}
