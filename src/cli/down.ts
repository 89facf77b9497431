// `mooring down`: ends the cluster of a data directory, and nothing else.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { CommandError, EXIT } from './command-error.ts';
import { wholeNumber } from './number-option.ts';
import { outputOption, printed } from './output.ts';
import { stateDirectory } from './state-directory.ts';

const LOOK_EVERY_MS = 20;

interface DownOptions {
  readonly dataDir: string;
  readonly timeout: number;
  readonly output: string;
}

export function addDown(program: Command): void {
  program
    .command('down')
    .description('Stop the cluster that mooring up runs; what it holds stays in its data directory')
    .option('--data-dir <directory>', 'where the cluster is kept', stateDirectory())
    .option('--timeout <seconds>', 'how long to wait for its end', wholeNumber('a time', 1, 3600), 30)
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  mooring down --data-dir ./cluster')
    .action(down);
}

async function down({ dataDir, timeout, output }: DownOptions): Promise<void> {
  const { holderOf } = await import('./lock-holder.ts');
  const directory = path.resolve(dataDir);
  const holder = holderOf(directory);
  if (holder.type === 'nobody') throw new CommandError(`no cluster runs in ${directory}`, EXIT.unreachable);
  if (holder.type === 'other') throw new CommandError(strangerIn(directory, holder.pid), EXIT.findings);
  process.kill(holder.pid, 'SIGTERM');
  const until = performance.now() + timeout * 1000;
  while (holderOf(directory).type !== 'nobody') {
    if (performance.now() > until)
      throw new CommandError(`process ${holder.pid} has not ended within ${timeout} s`, EXIT.findings);
    await sleep(LOOK_EVERY_MS);
  }
  const text = `stopped the cluster in ${directory} (process ${holder.pid})`;
  process.stdout.write(await printed(output, { directory, pid: holder.pid, stopped: true }, () => text));
}

const strangerIn = (directory: string, pid: number | undefined): string =>
  `${directory} is in use by ${pid === undefined ? 'a process that cannot be told' : `process ${pid}`}, which is no cluster that mooring up started; it is left alone`;
