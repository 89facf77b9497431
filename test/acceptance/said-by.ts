import type { ChildProcess } from 'node:child_process';

/** Longer than any start takes, however busy the machine. */
const START_MS_MAX = 120_000;

/** What a program printed when it had printed `enough`. One that ends before, or stays silent, is a failure with its words. */
export function saidBy(child: ChildProcess, enough: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let [out, errors] = ['', ''];
    const silent = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the program did not say it started within ${START_MS_MAX} ms: ${out}${errors}`));
    }, START_MS_MAX);
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
      if (!out.includes(enough)) return;
      clearTimeout(silent);
      resolve(out);
    });
    child.once('exit', (code) => {
      clearTimeout(silent);
      reject(new Error(`the program ended with ${code}: ${errors}`));
    });
  });
}
