// `mooring chaos`: faults on a running cluster. Each is an object of it, so that kubectl can do the same.
import { Argument, type Command, Option } from 'commander';
import type { FaultRequest } from './chaos-client.ts';
import type { ClusterPlace } from './cluster-client.ts';
import { outputOption } from './output.ts';
import { stateDirectory } from './state-directory.ts';

interface BeginOptions extends ClusterPlace {
  readonly for?: string;
}
interface CsiOptions extends BeginOptions {
  readonly driver?: string;
  readonly code: string;
  readonly by: string;
}

export function addChaos(program: Command): void {
  const chaos = program
    .command('chaos')
    .description('Break a running cluster: nodes, CSI calls, components')
    .addHelpText(
      'after',
      '\nExample:\n  mooring chaos node crash node-a\n  mooring chaos csi fail NodeStageVolume --for 5m\n  mooring chaos list\n  mooring chaos clear',
    );
  const node = chaos.command('node').description('A virtual node loses power, stands still, is cut off, or comes back');
  node
    .addArgument(new Argument('<what>').choices(['crash', 'freeze', 'partition', 'return']))
    .argument('<node>', 'its name')
    .addOption(
      new Option('--from <what>', 'what a node is cut off from').choices(['api', 'storage', 'both']).default('api'),
    )
    .action(async (what: NodeWord, name: string, options: BeginOptions & { readonly from: string }) =>
      begin(nodeFault(what, name, options.from), options),
    );
  const csi = chaos.command('csi').description('Calls to CSI drivers get no answer, fail, or take longer');
  csi
    .addArgument(new Argument('<what>').choices(['hang', 'fail', 'slow']))
    .argument('<call>', 'the RPC: NodeStageVolume, ControllerPublishVolume, …')
    .option('--driver <name>', 'only calls to this driver')
    .option('--code <code>', 'what failing calls are answered with', 'UNAVAILABLE')
    .option('--by <duration>', 'how much longer slow calls take', '5s')
    .action(async (what: CsiWord, call: string, options: CsiOptions) => begin(csiFault(what, call, options), options));
  const component = chaos.command('component').description('A controller, sidecar, scheduler or kubelet fails');
  component
    .addArgument(new Argument('<what>').choices(['restart', 'crash', 'freeze']))
    .argument('<name>', 'its name: kube-scheduler, attachdetach-controller, kubelet/node-a, …')
    .action(async (what: string, name: string, options: BeginOptions) =>
      begin({ name: `${name}-${what}`, spec: { type: `component-${what}`, component: name } }, options),
    );
  for (const command of [node, csi, component])
    located(command.option('--for <duration>', 'ends by itself after this time of the cluster: 90s, 12m'));
  addLook(chaos);
}

function addLook(chaos: Command): void {
  const list = chaos.command('list').description('Show the faults of the last hour and whether they are in force');
  located(list.addOption(outputOption())).action(async (options: ClusterPlace & { readonly output: string }) => {
    const { listFaults } = await import('./chaos-client.ts');
    process.stdout.write(await listFaults(options, options.output));
  });
  const clear = chaos.command('clear').description('End faults, all of them unless named');
  located(clear.argument('[names...]', 'as chaos list shows them')).action(
    async (names: readonly string[], options: ClusterPlace) => {
      const { clearFaults } = await import('./chaos-client.ts');
      process.stdout.write(await clearFaults(options, names));
    },
  );
}

/** How a command finds its cluster. */
const located = (command: Command): Command =>
  command
    .option('--data-dir <directory>', `where the cluster is kept (KUBECONFIG, or ${stateDirectory()})`)
    .option('--kubeconfig <file>', 'the cluster by its kubeconfig');

async function begin(request: FaultRequest, options: BeginOptions): Promise<void> {
  const { beginFault } = await import('./chaos-client.ts');
  const { name, spec } = request;
  const timed = options.for === undefined ? request : { name, spec: { ...spec, duration: options.for } };
  process.stdout.write(await beginFault(options, timed));
}

type NodeWord = 'crash' | 'freeze' | 'partition' | 'return';
const nodeFault = (what: NodeWord, node: string, from: string): FaultRequest => ({
  name: `${node}-${what}`,
  spec: what === 'partition' ? { type: what, node, from } : { type: `node-${what}`, node },
});

type CsiWord = 'hang' | 'fail' | 'slow';
function csiFault(what: CsiWord, call: string, { driver, code, by }: CsiOptions): FaultRequest {
  const of = driver === undefined ? { call } : { call, driver };
  const name = `${call}-${what}`;
  if (what === 'hang') return { name, spec: { type: 'csi-hang', ...of } };
  return { name, spec: what === 'fail' ? { type: 'csi', ...of, code } : { type: 'csi-slow', ...of, by } };
}
