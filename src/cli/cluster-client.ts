// A client of a cluster that runs, for commands that ask it one thing.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { SeededRandom } from '../base/random.ts';
import { SystemClock } from '../base/system-clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { KubeconfigFault, Unreachable } from '../kubeclient/client-fault.ts';
import { connect } from '../kubeclient/kubeclient.ts';
import { CommandError, EXIT } from './command-error.ts';
import { stateDirectory } from './state-directory.ts';

/** Where the cluster is: a kubeconfig, or the data directory of `up`; else `KUBECONFIG`, else where `up` keeps one. */
export interface ClusterPlace {
  readonly kubeconfig?: string;
  readonly dataDir?: string;
}

/** What the server says against a request, and what keeps us from it, becomes one line. */
export async function withCluster<T>(place: ClusterPlace, use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const clock = new SystemClock();
  try {
    const client = connect({
      clock,
      environment: process.env,
      home: homedir(),
      kubeconfig: kubeconfigOf(place),
      random: new SeededRandom(process.pid),
      log: { write: () => undefined },
    });
    try {
      return await use(client.as('mooring'));
    } finally {
      client.close();
    }
  } catch (error) {
    if (error instanceof KubeconfigFault) throw new CommandError(error.message);
    if (error instanceof Unreachable) throw new CommandError(error.message, EXIT.unreachable);
    if (isApiError(error)) throw new CommandError(oneLine(error.message), EXIT.findings);
    throw error;
  }
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');

/** undefined: `KUBECONFIG` tells. */
function kubeconfigOf({ kubeconfig, dataDir }: ClusterPlace): string | undefined {
  if (kubeconfig !== undefined) return kubeconfig;
  if (dataDir === undefined && (process.env['KUBECONFIG'] ?? '') !== '') return undefined;
  const directory = path.resolve(dataDir ?? stateDirectory());
  const file = path.join(directory, 'kubeconfig');
  if (existsSync(file)) return file;
  throw new CommandError(`no cluster was started in ${directory}: mooring up --data-dir ${directory} starts one`);
}
