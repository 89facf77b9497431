// `mooring up`: a cluster on loopback with virtual nodes and the whole volume control plane at work.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ClusterSize } from '../worlds/embedded-shape.ts';
import { CommandError } from './command-error.ts';
import type { Asked } from './kept-cluster.ts';
import { wholeNumber } from './number-option.ts';
import { signalled } from './signalled.ts';
import { stateDirectory } from './state-directory.ts';

/** What a thousand cost is measured: `npm run bench -- up-nodes`. */
const NODES_MAX = 1000;
/** The disk sets the limit in truth: a fast cluster waits for its writes. */
const SPEED_MAX = 1000;
const STATUS_EVERY_MS = 1000;

interface UpOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly nodes?: number;
  readonly zones?: number;
  readonly speed: number;
  readonly kubeconfigOut?: string;
  readonly config?: string;
  readonly profile?: string;
}

export function addUp(program: Command): void {
  program
    .command('up')
    .description('Start a cluster on loopback: API server, controllers, scheduler, sidecars and virtual nodes')
    .option('--data-dir <directory>', 'where the cluster is kept', stateDirectory())
    .option(
      '--port <number>',
      'port on the loopback interface; 0 takes a free one',
      wholeNumber('a port', 0, 65_535),
      6443,
    )
    .option('--config <file>', 'a cluster file: nodes, drivers, classes, timings, which components are ours')
    .addOption(
      new Option('--nodes <number>', 'virtual nodes of a new cluster (3)')
        .argParser(wholeNumber('the number of nodes', 1, NODES_MAX))
        .conflicts('config'),
    )
    .addOption(
      new Option('--zones <number>', 'zones of a new cluster (2)')
        .argParser(wholeNumber('the number of zones', 1, NODES_MAX))
        .conflicts('config'),
    )
    .option('--profile <version>', 'the Kubernetes version whose behaviour is played')
    .option('--speed <factor>', `seconds of the cluster in one real second, up to ${SPEED_MAX}`, speedOf, 1)
    .option('--kubeconfig-out <file>', 'write the kubeconfig there too')
    .addHelpText(
      'after',
      '\nExample:\n  mooring up --data-dir ./cluster\n  kubectl --kubeconfig ./cluster/kubeconfig get nodes',
    )
    .action(up);
}

function speedOf(text: string): number {
  const speed = Number(text);
  if (!/^\d+(\.\d+)?$/.test(text) || speed <= 0 || speed > SPEED_MAX)
    throw new InvalidArgumentError(`a speed is a number above 0 and up to ${SPEED_MAX}`);
  return speed;
}

async function up(options: UpOptions): Promise<void> {
  const { dataDir, port, speed, kubeconfigOut } = options;
  // From here on: a signal that comes before all is up ends it when it is.
  const stopped = signalled();
  const asked = await askedOf(options);
  const { runCluster } = await import('./run-cluster.ts');
  const directory = path.resolve(dataDir);
  const kubeconfig = path.join(directory, 'kubeconfig');
  const kubeconfigs = kubeconfigOut === undefined ? [kubeconfig] : [kubeconfig, path.resolve(kubeconfigOut)];
  const running = await runCluster({ directory, port, speed, kubeconfigs, asked });
  process.stdout.write(
    [
      `mooring up on ${running.address}, ${sizeText(running.size)}; Ctrl-C stops it`,
      '',
      `  export KUBECONFIG=${kubeconfig}`,
      '',
      'Try first:',
      '  kubectl get nodes -L topology.kubernetes.io/zone',
      `  kubectl apply -f ${running.example}`,
      '  kubectl get pods,pvc,pv,volumeattachments -o wide',
      '',
      '',
    ].join('\n'),
  );
  const stopLine = process.stdout.isTTY ? liveLine(() => running.status()) : () => undefined;
  await stopped;
  stopLine();
  await running.close();
}

function sizeText({ nodes, zones }: ClusterSize): string {
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  return `${count(nodes, 'node')} in ${count(zones, 'zone')}`;
}

/** What is wrong with a cluster file or a profile is said before anything is touched. */
async function askedOf({ config, profile, nodes, zones }: UpOptions): Promise<Asked> {
  const { PROFILES } = await import('../worlds/profiles.ts');
  if (profile !== undefined && !PROFILES.includes(profile))
    throw new CommandError(`unknown profile "${profile}"; known: ${PROFILES.join(', ')}`);
  const { readClusterFile } = await import('../simulation/cluster-section.ts');
  return {
    ...(nodes === undefined ? {} : { nodes }),
    ...(zones === undefined ? {} : { zones }),
    ...(profile === undefined ? {} : { profile }),
    ...(config === undefined ? {} : { shape: readClusterFile(config, textOf(config)) }),
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandError(`cannot read ${file}: ${code ?? message}`);
  }
}

/** One line that is written over again; answers how to end it. */
function liveLine(line: () => string): () => void {
  const draw = (): void => {
    const width = Math.max(20, process.stdout.columns - 1);
    process.stdout.write(`\r\u001B[K${line().slice(0, width)}`);
  };
  draw();
  const timer = setInterval(draw, STATUS_EVERY_MS);
  return () => {
    clearInterval(timer);
    process.stdout.write('\n');
  };
}
