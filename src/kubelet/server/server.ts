// The server of one node, free of any socket: from a method, a path and a query to an answer. Who may ask is decided before.
// Everything is found out when it is asked for; a node that nobody asks does nothing for it.
// kubernetes:pkg/kubelet/server/server.go
import type { Clock, InstantMs } from '../../base/clock.ts';
import type { Disposable } from '../../kube/cluster.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { type ContainerRuntime, type RuntimePod, isRunning } from '../podworkers/container-runtime.ts';
import type { VolumeSample } from '../stats/volume-stats.ts';
import { logOf, logOptionsOf, logText } from './container-log.ts';
import { EXPOSITION_TYPE, exposition } from './exposition.ts';
import type { KubeletMetrics } from './kubelet-metrics.ts';
import { resourceFamilies } from './resource-metrics.ts';
import { summaryOf } from './summary.ts';
import { type PodUsage, type Usage, nodeUsage, podUsage } from './usage.ts';

export interface NodeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface TextOut {
  write(text: string): void;
  end(): void;
}

export type NodeAnswer =
  | { readonly type: 'text'; readonly code: number; readonly contentType: string; readonly body: string }
  /** Goes on until it is ended, or disposed of. */
  | { readonly type: 'stream'; readonly contentType: string; open(out: TextOut): Disposable };

/** Answers for one life of a kubelet. */
export interface NodeServer {
  answer(request: NodeRequest): Promise<NodeAnswer>;
  /** What the node and its pods use; undefined while the API knows no such node. */
  figures(): NodeFigures | undefined;
}

export interface NodeFigures {
  readonly at: InstantMs;
  readonly labels: Readonly<Record<string, string>>;
  readonly node: Usage;
  readonly pods: readonly PodUsage[];
}

export interface NodeServerOptions {
  readonly nodeName: string;
  readonly version: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly runtime: ContainerRuntime;
  readonly metrics: KubeletMetrics;
  /** Of the Node object; undefined while there is none. */
  readonly labels: () => Readonly<Record<string, string>> | undefined;
  readonly pods: () => Iterable<Pod>;
  /** How full the volumes of a pod are, asked for now. */
  readonly samplesOf: (pod: Pod) => Promise<readonly VolumeSample[]>;
  /** Names of volumes, once for each pod that wants or has them. */
  readonly volumeNames: () => { readonly wanted: readonly string[]; readonly mounted: readonly string[] };
}

const JSON_TYPE = 'application/json';
const PLAIN_TYPE = 'text/plain; charset=utf-8';

export function nodeServer(options: NodeServerOptions): NodeServer {
  return new VirtualNodeServer(options);
}

class VirtualNodeServer implements NodeServer {
  readonly #options: NodeServerOptions;
  readonly #startedAt: InstantMs;

  constructor(options: NodeServerOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  async answer(request: NodeRequest): Promise<NodeAnswer> {
    const [word = '', ...words] = request.path.split('/').slice(1);
    switch (word) {
      case 'exec':
      case 'attach':
      case 'run':
      case 'portForward':
        return this.#refused(word);
      default:
        return request.method === 'GET' || request.method === 'HEAD'
          ? this.#read(word, words, request)
          : plain(405, 'Method Not Allowed');
    }
  }

  async #read(word: string, words: readonly string[], { query }: NodeRequest): Promise<NodeAnswer> {
    switch ([word, ...words].join('/').replace(/\/$/, '')) {
      case 'healthz':
      case 'healthz/ping':
      case 'healthz/syncloop':
        return plain(200, 'ok', '');
      case 'pods':
        return json(podList([...this.#options.pods()]));
      case 'runningpods':
        return json(podList(this.#runningPods()));
      case 'stats/summary':
        return json(await this.#summary(query.get('only_cpu_and_memory') === 'true'));
      case 'metrics':
        return metrics(exposition(this.#options.metrics.families(await this.#metricFacts())));
      case 'metrics/resource':
        return metrics(exposition(resourceFamilies({ now: this.#now, since: this.#startedAt, ...this.#usage() })));
      case 'metrics/cadvisor':
      case 'metrics/probes':
        return metrics('');
      default:
        return word === 'containerLogs' ? this.#log(words, query) : plain(404, '404 page not found');
    }
  }

  figures(): NodeFigures | undefined {
    const labels = this.#options.labels();
    return labels === undefined ? undefined : { at: this.#now, labels, ...this.#usage() };
  }

  get #now(): InstantMs {
    return this.#options.clock.now();
  }

  #usage(): { readonly node: Usage; readonly pods: readonly PodUsage[] } {
    const { capacity, pods: all, runtime } = this.#options;
    const pods = [...all()].flatMap((pod): readonly PodUsage[] => {
      const running = runtime.pod(pod.metadata.uid);
      return running === undefined || !isRunning(running) ? [] : [podUsage(pod, running)];
    });
    return { node: nodeUsage(capacity, pods), pods };
  }

  async #summary(isShort: boolean): Promise<object> {
    const { capacity, nodeName, samplesOf } = this.#options;
    const { node, pods } = this.#usage();
    const filled = await Promise.all(
      pods.map(async (each) => ({ ...each, volumes: isShort ? [] : await samplesOf(each.pod) })),
    );
    return summaryOf({ nodeName, now: this.#now, since: this.#startedAt, capacity, node, pods: filled, isShort });
  }

  async #metricFacts(): Promise<Parameters<KubeletMetrics['families']>[0]> {
    const { nodeName, version, runtime, samplesOf, volumeNames } = this.#options;
    const samples = await Promise.all(this.#usage().pods.map(({ pod }) => samplesOf(pod)));
    const runtimePods = [...runtime.pods()];
    return { nodeName, version, ...volumeNames(), runtimePods, samples: samples.flat() };
  }

  /** As the containers tell it: pods that the API no longer knows are among them. */
  #runningPods(): readonly object[] {
    return [...this.#options.runtime.pods()]
      .filter(isRunning)
      .map(({ uid, name, namespace, containers }: RuntimePod) => ({
        metadata: { name, namespace, uid },
        spec: { containers: containers.map((each) => ({ name: each.name, image: each.image, resources: {} })) },
        status: {},
      }));
  }

  #refused(what: 'exec' | 'attach' | 'run' | 'portForward'): NodeAnswer {
    const sentence = {
      exec: 'there is nothing to run a command in',
      run: 'there is nothing to run a command in',
      attach: 'there is nothing to attach to',
      portForward: 'nothing listens on their ports',
    }[what];
    const message = `${this.#options.nodeName} is a virtual node: its containers run no program, so ${sentence}`;
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message };
    return { ...json({ ...status, reason: 'MethodNotAllowed', code: 405 }), code: 405 };
  }

  #log(words: readonly string[], query: URLSearchParams): NodeAnswer {
    const [namespace = '', name = '', container = ''] = words;
    const options = logOptionsOf(query, this.#now);
    if (options === undefined) return plain(400, '{"message": "Unable to decode query."}');
    const pod = [...this.#options.pods()].find(
      ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
    );
    if (pod === undefined) return plain(404, `pod "${name}" does not exist`);
    const find = () => {
      const runtimePod = this.#options.runtime.pod(pod.metadata.uid);
      const { nodeName } = this.#options;
      return logOf({ nodeName, pod, runtimePod, container, previous: options.previous });
    };
    const found = find();
    if (found.type === 'refused') return plain(found.code, found.message, '');
    const body = logText(found.lines, options);
    if (!options.follow || found.hasEnded) return { type: 'text', code: 200, contentType: 'text/plain', body };
    return {
      type: 'stream',
      contentType: 'text/plain',
      open: (out) =>
        this.#follow(out, body, () => {
          const later = find();
          if (later.type === 'refused') return { text: '', hasEnded: true };
          return { text: logText(later.lines.slice(found.lines.length), options), hasEnded: later.hasEnded };
        }),
    };
  }

  /** Nothing happens to a container between its start and its end. */
  #follow(out: TextOut, begin: string, rest: () => { readonly text: string; readonly hasEnded: boolean }): Disposable {
    out.write(begin);
    const watch = this.#options.runtime.observe?.(() => {
      const { text, hasEnded } = rest();
      if (!hasEnded) return;
      watch?.dispose();
      out.write(text);
      out.end();
    });
    if (watch === undefined) out.end();
    return { dispose: () => watch?.dispose() };
  }
}

const podList = (items: readonly object[]): object => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

const json = (value: object): NodeAnswer & { readonly type: 'text' } => ({
  type: 'text',
  code: 200,
  contentType: JSON_TYPE,
  body: JSON.stringify(value),
});
const metrics = (body: string): NodeAnswer => ({ type: 'text', code: 200, contentType: EXPOSITION_TYPE, body });
const plain = (code: number, body: string, end = '\n'): NodeAnswer => ({
  type: 'text',
  code,
  contentType: PLAIN_TYPE,
  body: `${body}${end}`,
});
