// Removes pods that nobody else will: those of nodes that are gone or out of service, those that were deleted before
// they had a node, and the oldest of too many that have ended. Looks only when there may be something to remove, at the
// instants at which a loop of every period would.
// kubernetes:pkg/controller/podgc/gc_controller.go
import { type DurationMs, SECOND_MS, timestamp } from '../../base/clock.ts';
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import type { Turn } from '../../runtime/controller.ts';
import type { Change, Informer } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { messageOf, supervise } from '../../runtime/supervise.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import { decideGoing, hasEnded, inOrder, isOutOfService, surplus } from './decide-garbage.ts';
import { forceDelete } from './force-delete.ts';
import { type Profile, profileOf } from './profile.ts';
import { Quarantine } from './quarantine.ts';

const NAME = 'pod-garbage-collector-controller';
/** kubernetes:pkg/controller/podgc/gc_controller.go gcCheckPeriod */
const PERIOD_MS: DurationMs = 20 * SECOND_MS;
/** kubernetes:pkg/controller/podgc/gc_controller.go quarantineTime */
const QUARANTINE_MS: DurationMs = 40 * SECOND_MS;
/** kubernetes:pkg/controller/podgc/config/v1alpha1/defaults.go */
const TERMINATED_POD_GC_THRESHOLD = 12_500;

export interface PodGCSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--terminated-pod-gc-threshold`: pods that may stay after they have ended; 0 or less for any number. */
  readonly terminatedPodGcThreshold?: number;
}

export function podGarbageCollector(settings: PodGCSettings = {}): Component {
  const { profile, terminatedPodGcThreshold = TERMINATED_POD_GC_THRESHOLD } = settings;
  const resolved = { profile: profileOf(profile), threshold: terminatedPodGcThreshold };
  return { name: NAME, start: (context) => new PodGarbageCollector(context, resolved).start() };
}

interface ResolvedSettings {
  readonly profile: Profile;
  readonly threshold: number;
}

class PodGarbageCollector {
  readonly #context: ComponentContext;
  readonly #settings: ResolvedSettings;
  readonly #informers: InformerFactory;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #loop: GridLoop;
  readonly #quarantine = new Quarantine(QUARANTINE_MS);
  /** Names that a pod points at and that were not known as a node, with what made them so. */
  readonly #suspects = new Map<string, Reason>();

  constructor(context: ComponentContext, settings: ResolvedSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#informers = new InformerFactory(context);
    this.#nodes = this.#informers.of(Nodes);
    this.#pods = this.#informers.of(Pods, {
      node: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]),
      state: (pod) => [...(isGoing(pod) ? ['going'] : []), ...(hasEnded(pod) ? ['ended'] : [])],
    });
    this.#loop = new GridLoop({ ...context, name: NAME, periodMs: PERIOD_MS, pass: (turn) => this.#collect(turn) });
  }

  start(): void {
    this.#nodes.subscribe((change, reason) => this.#nodeChanged(change, reason));
    this.#pods.subscribe((change, reason) => this.#podChanged(change, reason));
    const begin = async (): Promise<void> => {
      await this.#informers.whenSynced(this.#context.signal);
      this.#loop.start();
    };
    supervise(NAME, begin(), this.#context.log);
    this.#informers.start();
  }

  #nodeChanged({ type, object }: Change<Node>, reason: Reason): void {
    if (type === 'deleted') this.#suspects.set(object.metadata.name, reason);
    if (type === 'deleted' || isOutOfService(object)) this.#loop.mark(reason);
  }

  #podChanged({ type, object }: Change<Pod>, reason: Reason): void {
    if (type === 'deleted') return;
    const { nodeName = '' } = object.spec;
    const isSuspect = nodeName !== '' && this.#nodes.get(nodeName) === undefined;
    if (isSuspect && !this.#suspects.has(nodeName)) this.#suspects.set(nodeName, reason);
    if (isSuspect || isGoing(object) || hasEnded(object)) this.#loop.mark(reason);
  }

  async #collect(turn: Turn): Promise<void> {
    // What is found now is what is worked on, however long it takes.
    const ended = surplus([...this.#pods.by('state', 'ended')], this.#settings.threshold);
    const going = inOrder([...this.#pods.by('state', 'going')]);
    const outOfService = going.filter((pod) => this.#whyGarbage(pod) === 'out-of-service');
    const unscheduled = going.filter((pod) => this.#whyGarbage(pod) === 'unscheduled');
    const orphans = new Map(this.#missingNodes().map((name) => [name, [...this.#pods.by('node', name)]]));
    await Promise.all(ended.map((pod) => this.#remove(pod, this.#causeOf(pod))));
    await Promise.all(outOfService.map((pod) => this.#remove(pod, this.#causeOf(pod))));
    await this.#collectOrphans(orphans, turn);
    for (const pod of unscheduled) await this.#remove(pod, this.#causeOf(pod));
    const nextEnd = this.#quarantine.nextEnd;
    const now = this.#context.clock.monotonic();
    if (nextEnd !== undefined) this.#loop.markAfter(nextEnd - now, { type: 'deadline', entry: null });
  }

  #whyGarbage({ spec }: Pod): ReturnType<typeof decideGoing> {
    const { nodeName = '' } = spec;
    const why = decideGoing({ nodeName, node: this.#nodes.get(nodeName) });
    return why === 'out-of-service' && !this.#settings.profile.outOfServiceTaint ? undefined : why;
  }

  #missingNodes(): readonly string[] {
    for (const name of this.#suspects.keys()) {
      const isUsed = this.#pods.by('node', name).next().done !== true;
      if (!isUsed || this.#nodes.get(name) !== undefined) this.#suspects.delete(name);
    }
    return [...this.#suspects.keys()];
  }

  async #collectOrphans(orphans: ReadonlyMap<string, readonly Pod[]>, turn: Turn): Promise<void> {
    const over = this.#quarantine.pass(orphans.keys(), this.#context.clock.monotonic());
    const gone: string[] = [];
    for (const name of over) if (await this.#isGone(name, turn)) gone.push(name);
    for (const name of gone) {
      const reason = this.#suspects.get(name) ?? turn.reason;
      for (const pod of orphans.get(name) ?? []) await this.#remove(pod, reason, { isOrphan: true });
    }
  }

  /** The server is asked: a cache may not have been told of a node yet. */
  async #isGone(name: string, { cluster }: Turn): Promise<boolean> {
    const result = await attempt(() => cluster.get(Nodes, name));
    if (!result.failed) return false;
    if (result.error.reason === 'NotFound') return true;
    this.#context.log.write('warn', `node ${name} not read: ${messageOf(result.error)}`);
    return false;
  }

  /** What cannot be removed is tried again in the next pass. */
  async #remove(pod: Pod, reason: Reason, { isOrphan = false } = {}): Promise<void> {
    const { clock, cluster, log } = this.#context;
    const { profile } = this.#settings;
    const now = timestamp(clock.now());
    const view = cluster.because(reason);
    const result = await attempt(() => forceDelete({ pod, cluster: view, profile, isOrphan, now }));
    if (!result.failed) return;
    log.write('warn', `pod ${keyOf(pod)} not removed: ${messageOf(result.error)}`, { error: result.error });
    this.#loop.mark({ type: 'failed', attempt: 1, entry: reason.entry });
  }

  /** The later of the last writes of the pod and of its node. */
  #causeOf(pod: Pod): Reason {
    const { timeline } = this.#context;
    const node = this.#nodes.get(pod.spec.nodeName ?? '');
    const entries = [pod, ...(node === undefined ? [] : [node])].flatMap(
      ({ metadata }) => timeline.entryOf(metadata.resourceVersion) ?? [],
    );
    const entry = entries.length === 0 ? null : Math.max(...entries);
    return { type: 'changed', kind: 'Pod', key: keyOf(pod), entry };
  }
}

const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
