// The servers of virtual nodes, each at a port of its own on loopback. The port belongs to the machine: it is the same in
// every life of its kubelet, and between two lives nobody listens there.
import type { CertificateAuthority } from '../apiserver/http/certificates/authority.ts';
import { HttpServer } from '../apiserver/http/http.ts';
import { type Clock, MINUTE_MS } from '../base/clock.ts';
import type { NodeServing } from '../kubelet/kubelet-options.ts';
import type { NodeFigures, NodeServer } from '../kubelet/server/server.ts';
import { messageOf } from '../runtime/supervise.ts';
import type { ClusterShape } from './cluster-shape.ts';
import { isOn } from './component-switches.ts';
import { type NodeDoor, NodeEndpoint } from './node-endpoint.ts';

const LOOPBACK = '127.0.0.1';
/** Nodes are asked seldom and by few. Slow headers are looked for rarely, so that an idle node costs nothing. */
const LIMITS = { headersMs: 5 * MINUTE_MS, bodyMs: 5 * MINUTE_MS, connectionsMax: 200 };

export interface NodeServersOptions extends NodeDoor {
  readonly authority: CertificateAuthority;
  /** Real time. */
  readonly clock: Clock;
  /** Whether what is sent to a node arrives there. */
  readonly isReachable?: (node: string) => boolean;
}

/** Nodes whose kubelets are ours: others answer for themselves, or not at all. */
export function answeringNodes({
  nodes,
  components = {},
}: Pick<ClusterShape, 'nodes' | 'components'>): readonly string[] {
  return nodes
    .filter(({ name, agent }) => agent !== 'bare' && isOn({ program: 'kubelet', part: name }, components))
    .map(({ name }) => name);
}

interface Machine {
  readonly name: string;
  readonly port: number;
  readonly tls: { readonly key: string; readonly certificate: string; readonly clientAuthority: string };
  http: HttpServer | undefined;
  /** The kubelet of now, and its life. */
  server: NodeServer | undefined;
  life: AbortSignal | undefined;
}

export class NodeServers {
  readonly #machines = new Map<string, Machine>();
  /** Servers that nobody can reach any more, until their last answer is out. */
  readonly #closing = new Set<Promise<void>>();
  #options: NodeServersOptions | undefined;

  /** Takes a free port for each. */
  async open(nodes: readonly string[], options: NodeServersOptions): Promise<void> {
    this.#options = options;
    const { authority, clock } = options;
    for (const name of nodes) {
      const subject = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
      const names = [name, 'localhost', LOOPBACK];
      const pair = authority.issue(subject, { type: 'server', names }, clock.now());
      const tls = { ...pair, clientAuthority: authority.certificate };
      const http = this.#httpOf(name, tls, options);
      const { port } = await http.listen(LOOPBACK, 0);
      this.#machines.set(name, { name, port, tls, http, server: undefined, life: undefined });
    }
  }

  /** Undefined for nodes that are somebody else's. */
  servingOf(node: string): NodeServing | undefined {
    const machine = this.#machines.get(node);
    if (machine === undefined) return undefined;
    return { address: LOOPBACK, port: machine.port, serve: (server, life) => this.#serve(machine, server, life) };
  }

  /** What the nodes use that can be reached, in order. */
  figures(): ReadonlyMap<string, NodeFigures> {
    const found = [...this.#machines.values()].flatMap(({ name, server }): readonly [string, NodeFigures][] => {
      const figures = this.#isReachable(name) ? server?.figures() : undefined;
      return figures === undefined ? [] : [[name, figures]];
    });
    return new Map(found);
  }

  async close(): Promise<void> {
    for (const { http } of this.#machines.values()) this.#close(http);
    this.#machines.clear();
    await Promise.all(this.#closing);
  }

  #isReachable(node: string): boolean {
    return this.#options?.isReachable?.(node) ?? true;
  }

  #httpOf(
    node: string,
    tls: Machine['tls'],
    { authenticators, authorizer, clock, log }: NodeServersOptions,
  ): HttpServer {
    const endpoint = new NodeEndpoint({
      node,
      authenticators,
      authorizer,
      log,
      current: () => this.#machines.get(node)?.server,
      isReachable: (name) => this.#isReachable(name),
    });
    return new HttpServer({ endpoint, clock, log, tls, limits: LIMITS });
  }

  #serve(machine: Machine, server: NodeServer, life: AbortSignal): void {
    if (life.aborted) return;
    Object.assign(machine, { server, life });
    life.addEventListener('abort', () => this.#ended(machine, life), { once: true });
    if (machine.http === undefined) this.#listenAgain(machine);
  }

  /** A port that was taken meanwhile leaves the node without a server. */
  #listenAgain(machine: Machine): void {
    const options = this.#options;
    if (options === undefined) return;
    const http = this.#httpOf(machine.name, machine.tls, options);
    machine.http = http;
    http.listen(LOOPBACK, machine.port).catch((error: unknown) => {
      if (machine.http === http) machine.http = undefined;
      options.log.write('warn', `${machine.name} cannot listen on port ${machine.port}: ${messageOf(error)}`);
    });
  }

  #ended(machine: Machine, life: AbortSignal): void {
    if (machine.life !== life) return;
    const { http } = machine;
    Object.assign(machine, { server: undefined, life: undefined, http: undefined });
    this.#close(http);
  }

  #close(http: HttpServer | undefined): void {
    const closed = http?.close().finally(() => this.#closing.delete(closed ?? Promise.resolve()));
    if (closed !== undefined) this.#closing.add(closed);
  }
}
