// `mooring status`: how a cluster stands.
import path from 'node:path';
import type { Command } from 'commander';
import { CommandError, EXIT } from './command-error.ts';
import { outputOption, printed } from './output.ts';
import { stateDirectory } from './state-directory.ts';

export function addStatus(program: Command): void {
  program
    .command('status')
    .description('Show how the cluster stands that mooring up runs')
    .option('--data-dir <directory>', 'where the cluster is kept', stateDirectory())
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  mooring status --data-dir ./cluster -o json')
    .action(status);
}

async function status({ dataDir, output }: { readonly dataDir: string; readonly output: string }): Promise<void> {
  const { holderOf } = await import('./lock-holder.ts');
  const { readRunning } = await import('./running-file.ts');
  const { clusterStatus, statusTable } = await import('./cluster-status.ts');
  const directory = path.resolve(dataDir);
  const running = holderOf(directory).type === 'cluster' ? readRunning(directory) : undefined;
  if (running === undefined) throw new CommandError(`no cluster runs in ${directory}`, EXIT.unreachable);
  const now = await clusterStatus(directory, running);
  process.stdout.write(await printed(output, now, () => statusTable(now)));
}
