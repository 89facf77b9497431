// `mooring apiserver`: the API server alone, for those who bring their own controllers.
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import { wholeNumber } from './number-option.ts';
import { signalled } from './signalled.ts';

/**
 * How much the heap grows between two full collections, in percent of what is alive. By itself the engine lets it double,
 * and what requests leave behind then takes as much memory as all objects.
 */
const HEAP_GROWTH_PERCENT = 40;

interface ApiServerOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly store: string;
  readonly kubeconfigOut?: string;
  readonly nodeIdentity: readonly string[];
  readonly auditLogPath?: string;
}

export function addApiServer(program: Command): void {
  program
    .command('apiserver')
    .description('Serve the Kubernetes API alone, for controllers of your own')
    .requiredOption('--data-dir <directory>', 'where certificates and data are kept')
    .option(
      '--port <number>',
      'port on the loopback interface; 0 takes a free one',
      wholeNumber('a port', 0, 65_535),
      6443,
    )
    .option(
      '--store <kind>',
      'embedded: kept in the data directory; etcd://HOST:PORT; memory: gone at the end',
      'embedded',
    )
    .option('--kubeconfig-out <file>', 'write the kubeconfig there too')
    .option('--node-identity <names...>', 'nodes to write identities/kubelet-NAME.kubeconfig for', [])
    .option('--audit-log-path <file>', 'write every request down there, one JSON object a line')
    .addHelpText(
      'after',
      '\nExample:\n  mooring apiserver --data-dir ./cluster\n  kubectl --kubeconfig ./cluster/kubeconfig get pvc',
    )
    .action(serve);
}

async function serve(options: ApiServerOptions): Promise<void> {
  const { dataDir, port, store, kubeconfigOut, nodeIdentity: nodes, auditLogPath } = options;
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const { serveApi } = await import('./serve-api.ts');
  const directory = path.resolve(dataDir);
  const files = [
    path.join(directory, 'kubeconfig'),
    ...(kubeconfigOut === undefined ? [] : [path.resolve(kubeconfigOut)]),
  ];
  const audit = auditLogPath === undefined ? {} : { auditLog: path.resolve(auditLogPath) };
  const running = await serveApi({ directory, port, store, kubeconfigs: files, nodes, ...audit });
  running.announce();
  process.stdout.write(
    `mooring apiserver on ${running.address}; try: kubectl --kubeconfig ${files[0] ?? ''} get storageclasses\n`,
  );
  await signalled();
  await running.close();
}
