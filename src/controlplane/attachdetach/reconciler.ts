// One pass: detach what nobody wants, then attach what pods want, then tell the nodes. Detaching comes first, because a
// pod that moved needs its exclusive volume freed from the node it left. Upstream looks at everything ten times a
// second; here a volume is looked at only when something about it changed or a time has come, on the same grid.
// What always holds: an exclusive volume that is certainly attached to one node is not attached to a second.
// Upstream: kubernetes:pkg/controller/volume/attachdetach/reconciler/reconciler.go.
import { unreachable } from '../../base/assert.ts';
import { type Clock, type Timer } from '../../base/clock.ts';
import { type Cluster } from '../../kube/cluster.ts';
import { type Node } from '../../kube/resources/node.ts';
import { type Reason } from '../../kube/reason.ts';
import { type Turn } from '../../runtime/controller.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import { type ActualStateOfWorld } from './actual-state-of-world.ts';
import { type AttachLog } from './attach-log.ts';
import { decideAttach } from './decide-attach.ts';
import { type DetachDecision, type DetachPolicy, decideDetach, nodeFacts } from './decide-detach.ts';
import { type Desired, type DesiredStateOfWorld } from './desired-state-of-world.ts';
import { multiAttachMessage } from './multi-attach-message.ts';
import { Multimap } from './multimap.ts';
import { type NodeStatusUpdater } from './node-status-updater.ts';
import { type Pair, keyOfPair } from './pair.ts';
import { type Profile } from './profile.ts';
import { FAILED_ATTACH_VOLUME } from './reasons.ts';
import { type VolumeOperations } from './volume-operations.ts';
import { pluginOf } from './volume-spec.ts';
import { type VolumeWork } from './volume-work.ts';

export interface ReconcilerParts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly actual: ActualStateOfWorld;
  readonly desired: DesiredStateOfWorld;
  readonly nodes: Lister<Node>;
  readonly operations: VolumeOperations;
  readonly work: VolumeWork;
  readonly statuses: NodeStatusUpdater;
  readonly recorder: Recorder;
  readonly log: AttachLog;
  readonly policy: DetachPolicy;
  readonly multiAttach: Profile['multiAttach'];
  /** In which order the pairs of a pass are looked at. */
  readonly order: (pairs: readonly Pair[]) => readonly Pair[];
  /** A pass is wanted. */
  readonly wake: (reason: Reason) => void;
}

/** Why a pair is looked at, and the view that says so. */
interface Cause {
  readonly reason: Reason;
  readonly cluster: Cluster;
}

export class Reconciler {
  readonly #parts: ReconcilerParts;
  /** Volumes to look at in the next pass, with the first reason since the last one. */
  readonly #marks = new Map<string, Reason>();
  /** Volumes that wait until the node says something new, by node. */
  readonly #waiting = new Multimap();
  /** When a volume that waits for its node is looked at in any case. */
  readonly #deadlines = new Map<string, Timer>();

  constructor(parts: ReconcilerParts) {
    this.#parts = parts;
    parts.signal.addEventListener('abort', () => this.#deadlines.forEach((timer) => timer.cancel()), { once: true });
  }

  mark(volume: string, reason: Reason): void {
    if (!this.#marks.has(volume)) this.#marks.set(volume, reason);
    this.#parts.wake(reason);
  }

  nodeChanged(node: string, reason: Reason): void {
    for (const volume of this.#waiting.take(node)) this.mark(volume, reason);
  }

  async pass(turn: Turn): Promise<void> {
    const taken = new Map(this.#marks);
    this.#marks.clear();
    try {
      await this.#pass(taken, turn);
    } catch (error) {
      // What was not looked at has not been forgotten by the next pass.
      for (const [volume, reason] of taken) this.#marks.set(volume, reason);
      throw error;
    }
  }

  async #pass(taken: ReadonlyMap<string, Reason>, turn: Turn): Promise<void> {
    const { actual, desired, statuses, order, wake, signal } = this.#parts;
    const causeOf = (reason: Reason = turn.reason): Cause => ({ reason, cluster: turn.cluster.because(reason) });
    for (const pair of order(pairsOf(taken.keys(), (volume) => actual.nodesOf(volume)))) {
      if (signal.aborted) return;
      await this.#syncDetach(pair, causeOf(taken.get(pair.volume)));
    }
    if (signal.aborted) return;
    // What changed while nodes were told is attached in this pass too, and looked at in full in the next.
    const looked = new Map([...this.#marks, ...taken]);
    for (const pair of order(pairsOf(looked.keys(), (volume) => desired.nodesOf(volume)))) {
      this.#syncAttach(pair, causeOf(looked.get(pair.volume)));
    }
    if ((await statuses.updateAll(turn.cluster)) === 'failed') wake(turn.reason);
  }

  async #syncDetach(pair: Pair, cause: Cause): Promise<void> {
    const { actual, desired, operations, statuses, signal } = this.#parts;
    const spec = actual.specOf(pair.volume);
    if (desired.has(pair) || actual.stateOf(pair) === 'detached' || pluginOf(pair.volume) === 'unknown') return;
    // Also while it rests: its end marks the volume again.
    if (!operations.mayStart(pair, spec, 'volume_detach')) return;
    const decision = this.#decideDetach(pair);
    if (decision.type === 'wait') return this.#waitForNode(pair, decision, cause.reason);
    this.#endWait(pair);
    actual.removeFromReport(pair);
    const told = await statuses.update(pair.node, cause.cluster);
    if (signal.aborted) return;
    if (told === 'told') return this.#startDetach(pair, decision, cause);
    actual.addToReport(pair);
    this.mark(pair.volume, cause.reason);
  }

  #decideDetach(pair: Pair): DetachDecision {
    const { actual, nodes, clock, policy } = this.#parts;
    const requestedForMs = actual.requestDetach(pair, clock.monotonic());
    const facts = { ...nodeFacts(nodes.get(pair.node)), mountedByNode: actual.isMounted(pair), requestedForMs };
    return decideDetach(facts, policy);
  }

  #startDetach(pair: Pair, decision: Exclude<DetachDecision, { type: 'wait' }>, { reason, cluster }: Cause): void {
    const { actual, operations, work, log } = this.#parts;
    const verifies = decision.type === 'detach';
    const started = operations.start(pair, actual.specOf(pair.volume), {
      name: 'volume_detach',
      reason,
      run: (signal) => work.detach(pair, { cluster, signal, verifies }),
    });
    if (!started) actual.addToReport(pair);
    else if (decision.type === 'force-detach') log.forced(pair, decision.because, reason);
  }

  #syncAttach(pair: Pair, cause: Cause): void {
    const { actual, desired, operations, work } = this.#parts;
    const wanted = desired.get(pair);
    if (wanted === undefined || operations.isPending(pair, wanted.spec)) return;
    const decision = decideAttach({
      state: actual.stateOf(pair),
      isExclusive: wanted.spec.isExclusive,
      certainlyOn: actual.certainNodesOf(pair.volume),
      multiAttachErrorReported: wanted.multiAttachErrorReported,
    });
    switch (decision.type) {
      case 'keep':
        actual.resetDetachRequest(pair);
        return this.#endWait(pair);
      case 'blocked':
        if (decision.tellPods) this.#tellPods(wanted, decision.by, cause);
        return;
      case 'attach': {
        this.#endWait(pair);
        const { cluster, reason } = cause;
        // Refused while it rests: its end marks the volume again.
        operations.start(pair, wanted.spec, {
          name: 'volume_attach',
          reason,
          run: () => work.attach(wanted, { cluster }),
        });
        return;
      }
      default:
        return unreachable(decision);
    }
  }

  #tellPods(wanted: Desired, holders: readonly string[], { reason, cluster }: Cause): void {
    const { desired, recorder, multiAttach, log } = this.#parts;
    const pods = desired.podsOn(wanted.volume, holders);
    for (const waiting of wanted.pods) {
      const message = multiAttachMessage(wanted.spec.name, { waiting, holders: pods }, multiAttach);
      recorder.via(cluster).event(waiting, 'Warning', FAILED_ATTACH_VOLUME, message);
    }
    desired.setMultiAttachErrorReported(wanted);
    log.blocked(wanted, holders, reason);
  }

  #waitForNode(pair: Pair, wait: Extract<DetachDecision, { type: 'wait' }>, reason: Reason): void {
    const { clock, log } = this.#parts;
    log.waits(pair, wait.for, reason);
    this.#waiting.add(pair.node, pair.volume);
    const key = keyOfPair(pair);
    this.#deadlines.get(key)?.cancel();
    this.#deadlines.delete(key);
    if (wait.dueInMs === undefined) return;
    const wake = (): void => {
      this.#deadlines.delete(key);
      this.mark(pair.volume, { type: 'deadline', entry: reason.entry });
    };
    this.#deadlines.set(key, clock.after(wait.dueInMs, wake));
  }

  #endWait(pair: Pair): void {
    this.#parts.log.ended(pair);
    this.#waiting.delete(pair.node, pair.volume);
    this.#deadlines.get(keyOfPair(pair))?.cancel();
    this.#deadlines.delete(keyOfPair(pair));
  }
}

function pairsOf(volumes: Iterable<string>, nodesOf: (volume: string) => readonly string[]): readonly Pair[] {
  return [...volumes].flatMap((volume) => nodesOf(volume).map((node) => ({ volume, node })));
}
