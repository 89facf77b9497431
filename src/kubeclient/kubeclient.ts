// A cluster by kubeconfig, or by the files of the pod we run in, as the engine wants it: one view for each actor.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import { TokenBucket } from '../base/token-bucket.ts';
import type { ClientLimits, Cluster, ClusterAccess } from '../kube/cluster.ts';
import { ApiCalls } from './api-calls.ts';
import { type ConnectOptions, type Connection, resolveConnection } from './connection.ts';
import { HttpCluster } from './http-cluster.ts';
import { Transport } from './transport.ts';

export interface KubeClientOptions extends ConnectOptions {
  readonly random: Random;
  readonly log: Log;
  /** Whose place an actor takes; without it all act as the user of the kubeconfig. */
  readonly impersonate?: (actor: string) => { readonly user: string; readonly groups?: readonly string[] } | undefined;
  /** Told what the server says whenever it denies a right, besides the one who asked. */
  readonly onForbidden?: (message: string) => void;
}

/** Throws a KubeconfigFault; the server is not asked anything yet. */
export const connect = (options: KubeClientOptions): KubeClient => new KubeClient(resolveConnection(options), options);

export class KubeClient implements ClusterAccess {
  /** Where objects are looked for if nobody says. */
  readonly namespace: string;
  readonly context: string;
  /** Scheme, host and port. */
  readonly server: string;
  readonly #connection: Connection;
  readonly #transport: Transport;
  readonly #options: Pick<KubeClientOptions, 'random' | 'log' | 'impersonate' | 'onForbidden'> & {
    readonly clock: Clock;
  };

  constructor(connection: Connection, options: KubeClientOptions) {
    this.namespace = connection.namespace;
    this.context = connection.context;
    this.server = connection.server.origin;
    this.#connection = connection;
    this.#options = options;
    this.#transport = new Transport(connection, options.clock);
  }

  as(actor: string, limits?: ClientLimits): Cluster {
    const { clock, log } = this.#options;
    return new HttpCluster({ calls: this.#calls(actor, limits), clock, log, server: this.server });
  }

  /** Any path of the server as JSON: `/version`. */
  read(path: string): Promise<unknown> {
    return this.#calls('mooring', undefined).ask({ method: 'GET', target: path });
  }

  /** Ends all connections; what is under way fails. */
  close(): void {
    this.#transport.close();
  }

  #calls(actor: string, limits: ClientLimits | undefined): ApiCalls {
    const { clock, random, impersonate, onForbidden } = this.#options;
    const other = impersonate?.(actor);
    return new ApiCalls({
      connection: this.#connection,
      transport: this.#transport,
      clock,
      random: random.fork(actor),
      onForbidden,
      userAgent: `mooring/${actor.replaceAll(/[^\w.:-]/g, '_')}`,
      bucket: limits === undefined ? undefined : new TokenBucket(clock, limits),
      impersonation:
        other === undefined
          ? this.#connection.impersonation
          : [
              ['Impersonate-User', other.user],
              ...(other.groups ?? []).map((group) => ['Impersonate-Group', group] as const),
            ],
    });
  }
}
