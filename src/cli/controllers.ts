// `mooring controllers`: chosen controllers of ours on any API server, in the place of the real ones.
import { type Command, InvalidArgumentError } from 'commander';

interface ControllersOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly only?: readonly string[];
  readonly list?: true;
  readonly csiAddress: string;
  readonly leaderElect: boolean;
  readonly leaderElectResourceName?: string;
}

const HELP = `
It writes what the controllers of a cluster write, from its start until it is stopped. Switch the real ones off first
(kube-controller-manager --controllers=*,-persistentvolume-binder-controller,...).

Example:
  mooring controllers --kubeconfig ./kubeconfig --only persistentvolume-binder-controller,persistentvolume-protection-controller`;

export function addControllers(program: Command): void {
  program
    .command('controllers')
    .description('Run controllers of ours on any API server, in the place of the real ones')
    .option('--kubeconfig <file>', 'the cluster, and as whom (as kubectl finds it)')
    .option('--context <name>', 'of the kubeconfig')
    .option('--only <names>', 'these, separated by commas; all unless told', names)
    .option('--list', 'print the names and end')
    .option(
      '--csi-address <address>',
      'of a CSI driver for sidecars: needs a later version, only none is taken',
      'none',
    )
    .option('--leader-elect <boolean>', 'work only while holding the Lease of the program', boolean, true)
    .option('--leader-elect-resource-name <name>', "the Lease of the manager's controllers in kube-system")
    .addHelpText('after', HELP)
    .action(controllers);
}

function names(text: string): readonly string[] {
  const given = text.split(',').map((name) => name.trim());
  return given.filter((name) => name !== '');
}

function boolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new InvalidArgumentError('it is true or false');
  return text === 'true';
}

async function controllers(options: ControllersOptions): Promise<void> {
  const { listControllers, runControllers } = await import('./run-controllers.ts');
  if (options.list === true) process.stdout.write(`${listControllers().join('\n')}\n`);
  else await runControllers(options);
}
