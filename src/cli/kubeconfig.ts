// `mooring kubeconfig`: where the kubeconfig of a cluster is, or what it says.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { CommandError, EXIT } from './command-error.ts';
import { outputOption } from './output.ts';
import { stateDirectory } from './state-directory.ts';

interface KubeconfigOptions {
  readonly dataDir: string;
  readonly raw?: boolean;
  readonly output: string;
}

export function addKubeconfig(program: Command): void {
  program
    .command('kubeconfig')
    .description('Print the path of a cluster’s kubeconfig; with --raw, or in json or yaml, what is in it')
    .option('--data-dir <directory>', 'where the cluster is kept', stateDirectory())
    .option('--raw', 'its contents, keys and all')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  export KUBECONFIG=$(mooring kubeconfig --data-dir ./cluster)')
    .action(kubeconfig);
}

async function kubeconfig({ dataDir, raw = false, output }: KubeconfigOptions): Promise<void> {
  const directory = path.resolve(dataDir);
  const file = path.join(directory, 'kubeconfig');
  if (!existsSync(file)) throw new CommandError(`no cluster was started in ${directory}`, EXIT.unreachable);
  const { holderOf } = await import('./lock-holder.ts');
  if (holderOf(directory).type === 'nobody') process.stderr.write(`mooring: no cluster runs in ${directory} now\n`);
  process.stdout.write(await textOf(file, raw ? 'yaml' : output));
}

async function textOf(file: string, output: string): Promise<string> {
  if (output === 'table') return `${file}\n`;
  const text = readFileSync(file, 'utf8');
  if (output === 'yaml') return text;
  const { valueOfYaml } = await import('./yaml-text.ts');
  return `${JSON.stringify(valueOfYaml(text), undefined, 2)}\n`;
}
