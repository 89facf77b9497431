// The real controller manager and scheduler beside some API server, and a story for them: a claim is bound, a deployment rolls
// out, a node falls silent and its pods move, the node comes back, the namespace goes. Kubelets are played by this file.
import { type ChildProcess, spawn } from 'node:child_process';
import https from 'node:https';
import { identityIn } from './started-server.ts';

/** Where the server is, and who its clients are there. */
export interface ServedCluster {
  readonly admin: string;
  readonly manager: string;
  readonly scheduler: string;
  readonly rootCa: string;
  readonly accountKey: string;
}
export type ControllerPeers = Readonly<Record<'kube-controller-manager' | 'kube-scheduler', string>>;

const NODES = ['story-1', 'story-2'];
const BEAT_MS = 1000;
const WAIT_MS = 120_000;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const JSON_TYPE = 'application/json';
const MERGE = 'application/merge-patch+json';

interface Item {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
  readonly spec?: { readonly nodeName?: string; readonly taints?: readonly unknown[] };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** A deployment's pods leave a silent node after two seconds instead of five minutes, and spread over nodes where they can. */
const deploymentOf = (image: string): object => ({
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'c', image }],
        tolerations: ['not-ready', 'unreachable'].map((state) => ({
          key: `node.kubernetes.io/${state}`,
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 2,
        })),
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'kubernetes.io/hostname',
            whenUnsatisfiable: 'ScheduleAnyway',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      },
    },
  },
});

const claimed = { accessModes: ['ReadWriteOnce'], storageClassName: 'by-hand' };
const volumeOf = (name: string): object => ({
  metadata: { name },
  spec: { ...claimed, capacity: { storage: '1Gi' }, hostPath: { path: `/tmp/${name}` } },
});
const CLAIM = { metadata: { name: 'claim' }, spec: { ...claimed, resources: { requests: { storage: '1Gi' } } } };

class Api {
  readonly #identity: ReturnType<typeof identityIn>;
  readonly #agent = new https.Agent({ keepAlive: true });

  constructor(kubeconfig: string) {
    this.#identity = identityIn(kubeconfig);
  }

  send(method: string, target: string, body?: object, type = JSON_TYPE): Promise<{ code: number; json: unknown }> {
    const { server, ...identity } = this.#identity;
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': type };
      const options = { ...identity, method, headers, agent: this.#agent };
      const request = https.request(new URL(target, server), options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ code: response.statusCode ?? 0, json: text.startsWith('{') ? JSON.parse(text) : undefined });
        });
      });
      request.on('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Throws where the server refuses. */
  async create(target: string, body: object): Promise<void> {
    const { code, json } = await this.send('POST', target, body);
    if (code !== 201) throw new Error(`POST ${target}: ${code} ${JSON.stringify(json)}`);
  }

  async items(target: string): Promise<readonly Item[]> {
    const { json } = await this.send('GET', target);
    return (json as { readonly items?: readonly Item[] } | undefined)?.items ?? [];
  }

  async statusOf(target: string): Promise<Readonly<Record<string, unknown>>> {
    const { json } = await this.send('GET', target);
    return (json as Item | undefined)?.status ?? {};
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Nodes that say that they live, and whose pods run as soon as they are there. */
class PlayedNodes {
  readonly #api: Api;
  readonly silent = new Set<string>();
  #isStopped = false;
  #playing: Promise<void> = Promise.resolve();

  constructor(api: Api) {
    this.#api = api;
  }

  async start(): Promise<void> {
    for (const name of NODES) {
      await this.#api.create('/api/v1/nodes', { metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
      await this.#api.create(LEASES, { metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
    }
    this.#playing = this.#play();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#playing;
  }

  async #play(): Promise<void> {
    while (!this.#isStopped) {
      for (const name of NODES) if (!this.silent.has(name)) await this.#beat(name);
      for (const pod of await this.#api.items('/api/v1/pods')) await this.#tend(pod);
      await pause(BEAT_MS);
    }
  }

  async #beat(name: string): Promise<void> {
    const now = new Date().toISOString();
    const seconds = `${now.slice(0, 19)}Z`;
    await this.#api.send('PATCH', `${LEASES}/${name}`, { spec: { renewTime: `${now.slice(0, 23)}000Z` } }, MERGE);
    const size = { cpu: '8', memory: '16Gi', pods: '110' };
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: seconds };
    const status = { capacity: size, allocatable: size, conditions: [{ ...ready, lastTransitionTime: seconds }] };
    await this.#api.send('PATCH', `/api/v1/nodes/${name}/status`, { status }, MERGE);
  }

  async #tend({ metadata, spec = {}, status = {} }: Item): Promise<void> {
    const { nodeName } = spec;
    if (nodeName === undefined || !NODES.includes(nodeName) || this.silent.has(nodeName)) return;
    const target = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined) {
      await this.#api.send('DELETE', `${target}?gracePeriodSeconds=0`);
      return;
    }
    if (status['phase'] === 'Running') return;
    const at = `${new Date().toISOString().slice(0, 19)}Z`;
    const conditions = ['Ready', 'ContainersReady'].map((type) => ({ type, status: 'True', lastTransitionTime: at }));
    const running = { phase: 'Running', startTime: at, podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.1' }], conditions };
    await this.#api.send('PATCH', `${target}/status`, { status: running }, 'application/strategic-merge-patch+json');
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + WAIT_MS; performance.now() < deadline; await pause(200))
    if (await holds()) return;
  throw new Error(`waited two minutes in vain for ${what}`);
}

export class ControllersStory {
  readonly #api: Api;
  readonly #nodes: PlayedNodes;
  readonly #children: readonly ChildProcess[];
  #said = '';
  #rounds = 0;

  constructor(cluster: ServedCluster, peers: ControllerPeers) {
    this.#api = new Api(cluster.admin);
    this.#nodes = new PlayedNodes(this.#api);
    const alone = ['--leader-elect=false', '--secure-port=0'];
    this.#children = [
      this.#listened(peers['kube-controller-manager'], [
        `--kubeconfig=${cluster.manager}`,
        `--root-ca-file=${cluster.rootCa}`,
        `--service-account-private-key-file=${cluster.accountKey}`,
        '--use-service-account-credentials=true',
        '--node-monitor-period=1s',
        '--node-monitor-grace-period=8s',
        '--node-startup-grace-period=10s',
        ...alone,
      ]),
      this.#listened(peers['kube-scheduler'], [`--kubeconfig=${cluster.scheduler}`, ...alone]),
    ];
  }

  #listened(program: string, words: readonly string[]): ChildProcess {
    const child = spawn(program, words, { stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => (this.#said += chunk.toString('utf8')));
    return child;
  }

  /** What both had to complain about so far, without what differs from run to run; each complaint once. */
  get complaints(): readonly string[] {
    return complaintsIn(this.#said);
  }

  /** Once through the story. */
  async round(): Promise<void> {
    if (this.#rounds++ === 0) await this.#nodes.start();
    const name = `story-${this.#rounds}`;
    const home = `/api/v1/namespaces/${name}`;
    await this.#everyNodeTakesPods();
    await this.#api.create('/api/v1/namespaces', { metadata: { name } });
    await until(
      'the account of the namespace',
      async () => (await this.#api.items(`${home}/serviceaccounts`)).length > 0,
    );
    await this.#bindClaim(home, name);
    await this.#rollOut(name);
    await this.#loseNode(home);
    await this.#everyNodeTakesPods();
    await this.#api.send('DELETE', home);
    await until('the namespace to go', async () => (await this.#api.send('GET', home)).code === 404);
    await this.#api.send('DELETE', `/api/v1/persistentvolumes/${name}`);
  }

  #everyNodeTakesPods(): Promise<void> {
    return until('nodes without taints', async () => {
      const nodes = await this.#api.items('/api/v1/nodes');
      return nodes.length === NODES.length && nodes.every(({ spec }) => (spec?.taints ?? []).length === 0);
    });
  }

  async #bindClaim(home: string, volume: string): Promise<void> {
    await this.#api.create('/api/v1/persistentvolumes', volumeOf(volume));
    const isFree = async (): Promise<boolean> =>
      (await this.#api.statusOf(`/api/v1/persistentvolumes/${volume}`))['phase'] === 'Available';
    await until('a free volume', isFree);
    await this.#api.create(`${home}/persistentvolumeclaims`, CLAIM);
    const target = `${home}/persistentvolumeclaims/claim`;
    await until('a bound claim', async () => (await this.#api.statusOf(target))['phase'] === 'Bound');
  }

  async #rollOut(namespace: string): Promise<void> {
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await this.#api.create(deployments, deploymentOf('web:1'));
    const isThere = async (generation: number): Promise<boolean> => {
      const status = await this.#api.statusOf(`${deployments}/web`);
      const counts = ['replicas', 'updatedReplicas', 'availableReplicas'].map((count) => status[count]);
      return status['observedGeneration'] === generation && counts.every((count) => count === 2);
    };
    await until('a deployment', () => isThere(1));
    const { code } = await this.#api.send('PATCH', `${deployments}/web`, deploymentOf('web:2'), MERGE);
    if (code !== 200) throw new Error(`the deployment could not be changed: ${code}`);
    await until('a rollout', () => isThere(2));
  }

  async #loseNode(home: string): Promise<void> {
    const pods = await this.#api.items(`${home}/pods`);
    const lost = pods.find(({ metadata }) => metadata.deletionTimestamp === undefined)?.spec?.nodeName ?? '';
    this.#nodes.silent.add(lost);
    await until('pods to leave the silent node', async () => {
      const now = await this.#api.items(`${home}/pods`);
      const here = now.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const running = here.filter(({ spec, status }) => spec?.nodeName !== lost && status?.['phase'] === 'Running');
      return here.length === 2 && running.length === 2;
    });
    this.#nodes.silent.delete(lost);
  }

  async stop(): Promise<void> {
    await this.#nodes.stop();
    for (const child of this.#children) {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL');
        await ended;
      }
    }
    this.#api.close();
  }
}

/** klog: E1116 02:16:32.669511   17921 file.go:276] words */
const COMPLAINT = /^E\d{4} [\d:.]+ +\d+ ([\w.-]+):\d+\] (.*)$/u;

/**
 * Who loses a race against whom is chance, on any server, and the next try goes through: a write against another one, or a
 * controller's work against the echo of its own last write. One that never went through would stop the story.
 */
const CHANCES = [
  'the object has been modified; please apply your changes to the latest version',
  'is not as new as written version',
];

/** Lines of level E, each once, without numbers and names that differ from run to run. */
export function complaintsIn(log: string): readonly string[] {
  const found = log.split('\n').flatMap((line) => {
    const [, file, words = ''] = COMPLAINT.exec(line) ?? [];
    return file === undefined || CHANCES.some((chance) => words.includes(chance))
      ? []
      : [`${file} ${normalised(words)}`];
  });
  return [...new Set(found)].toSorted();
}

function normalised(words: string): string {
  return words
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gu, 'UID')
    .replaceAll(/\b(web)-[a-z0-9]{6,10}(?:-[a-z0-9]{5})?\b/gu, '$1-X')
    .replaceAll(/127\.0\.0\.1:\d+/gu, 'SERVER')
    .replaceAll(/\d+/gu, 'N');
}
