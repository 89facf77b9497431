// `mooring apiserver`: the API server alone, for those who bring their own controllers.
import path from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';

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
    .option('--port <number>', 'port on the loopback interface; 0 takes a free one', portOf, 6443)
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

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('a port is a number up to 65535');
  return port;
}

async function serve(options: ApiServerOptions): Promise<void> {
  const { dataDir, port, store, kubeconfigOut, nodeIdentity: nodes, auditLogPath } = options;
  const { serveApi } = await import('./serve-api.ts');
  const directory = path.resolve(dataDir);
  const files = [
    path.join(directory, 'kubeconfig'),
    ...(kubeconfigOut === undefined ? [] : [path.resolve(kubeconfigOut)]),
  ];
  const audit = auditLogPath === undefined ? {} : { auditLog: path.resolve(auditLogPath) };
  const running = await serveApi({ directory, port, store, kubeconfigs: files, nodes, ...audit });
  process.stdout.write(
    `mooring apiserver on ${running.address}; try: kubectl --kubeconfig ${files[0] ?? ''} get storageclasses\n`,
  );
  await signalled();
  await running.close();
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}
