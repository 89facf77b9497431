// Removes pods from nodes with NoExecute taints that they do not tolerate, or tolerate no longer. All clocks are in
// memory and start when this controller sees the taint: a restart starts them over.
// kubernetes:pkg/controller/tainteviction/taint_eviction.go
import { unreachable } from '../../base/assert.ts';
import { SECOND_MS } from '../../base/clock.ts';
import { type KubeObject, type ObjectKey, keyOf, splitKey } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import type { Change, Informer } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import { supervise } from '../../runtime/supervise.ts';
import { WaitLog } from '../../runtime/wait-log.ts';
import { decideEviction, noExecuteTaints } from './decide-eviction.ts';
import { evictPod } from './evict-pod.ts';
import { type Profile, profileOf } from './profile.ts';
import { TimedEvictions } from './timed-evictions.ts';

const NAME = 'taint-eviction-controller';

export interface TaintEvictionSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
}

export function taintEvictionController({ profile }: TaintEvictionSettings = {}): Component {
  const resolved = profileOf(profile);
  return { name: NAME, start: (context) => new TaintEviction(context, resolved).start() };
}

class TaintEviction {
  readonly #context: ComponentContext;
  readonly #profile: Profile;
  readonly #informers: InformerFactory;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #recorder: Recorder;
  readonly #evictions: TimedEvictions;
  readonly #waits: WaitLog;

  constructor(context: ComponentContext, profile: Profile) {
    this.#context = context;
    this.#profile = profile;
    this.#informers = new InformerFactory(context);
    this.#nodes = this.#informers.of(Nodes);
    this.#pods = this.#informers.of(Pods, { node: nodeOf });
    this.#recorder = new EventRecorder({ ...context, component: profile.eventComponent });
    this.#waits = new WaitLog(context, { actor: NAME, kind: 'Pod' });
    const { remembersEvictions } = profile;
    this.#evictions = new TimedEvictions({
      context,
      remembersEvictions,
      evict: (key, reason) => this.#evict(key, reason),
    });
  }

  start(): void {
    supervise(NAME, this.#run(), this.#context.log);
    this.#informers.start();
  }

  /** Nodes first: what a pod may stay for is known only with the taints of its node. */
  async #run(): Promise<void> {
    await this.#informers.whenSynced(this.#context.signal);
    this.#nodes.subscribe((change, reason) => {
      if (hasOtherTaints(change)) this.#nodeChanged(change.object.metadata.name, reason);
    });
    this.#pods.subscribe((change, reason) => {
      if (mayFareOtherwise(change)) this.#podChanged(keyOf(change.object), reason);
    });
  }

  /** A node that is gone leaves running clocks alone: its pods are still said to be there. */
  #nodeChanged(name: string, reason: Reason): void {
    const node = this.#nodes.get(name);
    if (node === undefined) return;
    const taints = noExecuteTaints(node.spec.taints);
    for (const pod of this.#pods.by('node', name)) {
      if (taints.length === 0) this.#cancel(keyOf(pod), reason);
      else this.#processPod(pod, taints, reason);
    }
  }

  #podChanged(key: ObjectKey, reason: Reason): void {
    const pod = this.#pods.get(key);
    if (pod === undefined) return this.#cancel(key, reason);
    const taints = noExecuteTaints(this.#nodes.get(pod.spec.nodeName ?? '')?.spec.taints);
    if (taints.length > 0) this.#processPod(pod, taints, reason);
  }

  #processPod(pod: Pod, taints: readonly Taint[], reason: Reason): void {
    const key = keyOf(pod);
    const tolerations = pod.spec.tolerations ?? [];
    const decision = decideEviction({ taints, tolerations, isTimed: this.#evictions.isTimed(key) });
    switch (decision.type) {
      case 'evict-now':
        this.#cancel(key, reason);
        return this.#evictions.add(key, 0, reason);
      case 'evict-after':
        return this.#evictions.add(key, decision.delayMs, this.#waiting(key, decision.delayMs, reason));
      case 'keep-waiting':
        return undefined;
      case 'stay':
        return this.#cancel(key, reason);
      default:
        return unreachable(decision);
    }
  }

  #waiting(key: ObjectKey, delayMs: number, reason: Reason): Reason {
    if (delayMs === 0) return reason;
    const waitingFor = `the end of its toleration in ${delayMs / SECOND_MS} s`;
    return { type: 'requeued', waitingFor, entry: this.#waits.waits(key, waitingFor, reason) };
  }

  #cancel(key: ObjectKey, reason: Reason): void {
    this.#waits.ended(key);
    if (!this.#evictions.cancel(key)) return;
    this.#event(key, reason, `Cancelling deletion of Pod ${key}`);
  }

  async #evict(key: ObjectKey, reason: Reason): Promise<boolean> {
    this.#waits.ended(key);
    this.#event(key, reason, `Marking for deletion Pod ${key}`);
    return await evictPod(this.#context, this.#profile, key, this.#context.cluster.because(reason));
  }

  /** The reference has neither uid nor resource version: it is made from the name alone. */
  #event(key: ObjectKey, reason: Reason, message: string): void {
    const { namespace = '', name } = splitKey(key);
    const metadata = { namespace, name, uid: '', resourceVersion: '', creationTimestamp: '' };
    const about: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata };
    this.#recorder.via(this.#context.cluster.because(reason)).event(about, 'Normal', 'TaintManagerEviction', message);
  }
}

const nodeOf = ({ spec }: Pod): readonly string[] => (spec.nodeName === undefined ? [] : [spec.nodeName]);

function hasOtherTaints(change: Change<Node>): boolean {
  if (change.type !== 'updated') return true;
  return !isEqual(noExecuteTaints(change.before.spec.taints), noExecuteTaints(change.object.spec.taints));
}

function mayFareOtherwise(change: Change<Pod>): boolean {
  if (change.type !== 'updated') return true;
  const { before, object } = change;
  return before.spec.nodeName !== object.spec.nodeName || !isEqual(before.spec.tolerations, object.spec.tolerations);
}

/** Lists of flat objects as the server stores them: the same fields in the same order. */
function isEqual(a: readonly object[] = [], b: readonly object[] = []): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
