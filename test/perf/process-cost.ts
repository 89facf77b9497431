import { readFileSync, readdirSync } from 'node:fs';

/** Milliseconds of processor time that a process has used so far, in all of its threads. */
export function cpuMs(pid: number): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const spent = tasks.map((task) =>
    Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ', 1)[0]),
  );
  return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}
