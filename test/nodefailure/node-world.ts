// A world with nodes that send heartbeats until they crash, and pods that stand on them. For the rooms of node failure.
import { type DurationMs, MINUTE_MS, SECOND_MS, microTimestamp, timestamp } from '../../src/base/clock.ts';
import type { Draft } from '../../src/kube/cluster.ts';
import { Leases } from '../../src/kube/resources/lease.ts';
import { type Node, type NodeCondition, Nodes } from '../../src/kube/resources/node.ts';
import type { Taint, Toleration } from '../../src/kube/resources/node-selector.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { StorageWorld, type StorageWorldOptions } from '../persistentvolume/storage-world.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
const LEASE_RENEW_MS = 10 * SECOND_MS;
const STATUS_REPORT_MS = 5 * MINUTE_MS;

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** `Ready: 'True'` and no pressure unless told otherwise. */
  readonly conditions?: Readonly<Record<string, string>>;
}
export interface PodParts {
  readonly node?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly phase?: string;
  readonly ready?: string;
  readonly owner?: { readonly apiVersion: string; readonly kind: string; readonly name: string; readonly uid: string };
  readonly finalizers?: readonly string[];
}

const SETTLED = { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' };

export class NodeWorld extends StorageWorld {
  readonly #kubelets = new Map<string, AbortController>();

  constructor(options: StorageWorldOptions = {}) {
    super(options);
  }

  async addNode(name: string, { labels = {}, taints = [], conditions = SETTLED }: NodeParts = {}): Promise<Node> {
    const draft: Draft<Node> = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      ...(taints.length === 0 ? {} : { spec: { taints } }),
      status: { conditions: this.conditions(conditions) },
    };
    return await this.user.create(Nodes, draft);
  }

  conditions(statuses: Readonly<Record<string, string>>): readonly NodeCondition[] {
    const now = timestamp(this.clock.now());
    return Object.entries(statuses).map(([type, status]) => ({
      type,
      status,
      reason: 'Said',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
  }

  /** Renews the node's lease every 10 s from now on, and its status every 5 min. */
  startKubelet(name: string): void {
    const life = lifetime();
    this.#kubelets.set(name, life);
    const repeat = (periodMs: DurationMs, act: () => Promise<unknown>): void => {
      this.clock.after(periodMs, () => {
        if (life.signal.aborted) return;
        // A node that was deleted meanwhile cannot be written; the kubelet tries again.
        act().catch(() => undefined);
        repeat(periodMs, act);
      });
    };
    void this.renewLease(name);
    repeat(LEASE_RENEW_MS, () => this.renewLease(name));
    repeat(STATUS_REPORT_MS, () => this.postStatus(name));
  }

  crash(name: string): void {
    this.#kubelets.get(name)?.abort();
  }

  async renewLease(name: string): Promise<void> {
    const renewTime = microTimestamp(this.clock.now());
    try {
      await this.user.patch(Leases, `${LEASE_NAMESPACE}/${name}`, { type: 'merge', body: { spec: { renewTime } } });
    } catch {
      const metadata = { name, namespace: LEASE_NAMESPACE };
      await this.user.create(Leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata,
        spec: { renewTime },
      });
    }
  }

  /** What the kubelet says of itself. */
  async postStatus(name: string, statuses: Readonly<Record<string, string>> = SETTLED): Promise<void> {
    const node = await this.user.get(Nodes, name);
    const status = { ...node.status, conditions: this.conditions(statuses) };
    await this.user.update(Nodes, { ...node, status }, { subresource: 'status' });
  }

  async setTaints(name: string, taints: readonly Taint[]): Promise<void> {
    await this.change(Nodes, name, (node) => ({ ...node, spec: { ...node.spec, taints } }));
  }

  async taintsOf(name: string): Promise<readonly string[]> {
    const { spec } = await this.user.get(Nodes, name);
    return (spec.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);
  }

  async readyOf(name: string): Promise<string> {
    const { status } = await this.user.get(Nodes, name);
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    return ready === undefined ? 'none' : `${ready.status} ${ready.reason ?? ''}`;
  }

  async addPod(name: string, parts: PodParts = {}): Promise<Pod> {
    const { node, labels = {}, tolerations = [], phase = 'Running', ready = 'True', owner, finalizers = [] } = parts;
    const ownerReferences = owner === undefined ? {} : { ownerReferences: [{ ...owner, controller: true }] };
    const pod = await this.user.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', labels, finalizers, ...ownerReferences },
      spec: {
        ...(node === undefined ? {} : { nodeName: node }),
        tolerations,
        containers: [{ name: 'main', image: 'pause', resources: {} }],
      },
    });
    const condition = {
      type: 'Ready',
      status: ready,
      lastProbeTime: null,
      lastTransitionTime: timestamp(this.clock.now()),
    };
    const status = { ...pod.status, phase, conditions: ready === '' ? [] : [condition] };
    return await this.user.update(Pods, { ...pod, status }, { subresource: 'status' });
  }

  async podOf(name: string): Promise<Pod | undefined> {
    const { items } = await this.user.list(Pods);
    return items.find(({ metadata }) => metadata.name === name);
  }

  /** Seconds from the start of the world at which a component first wrote something like this. */
  timeOf(actor: string, text: RegExp): number | undefined {
    const write = this.writesOf(actor).find((each) => text.test(each.text));
    return write === undefined ? undefined : write.at / SECOND_MS;
  }
}
