// Begins the faults that stand in the cluster as objects, and ends them when their time is over or their object is deleted.
// It is out of the reach of all of them. What always holds: a fault is in force only while an object says so, and an object
// says that it is in force only when it is. After a restart of the process the objects that say so are begun again.
import { HOUR_MS, type InstantMs, timestamp } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import { type ObjectKey, keyOf } from '../../kube/object.ts';
import { Nodes } from '../../kube/resources/node.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import type { Cast } from '../cast.ts';
import type { Fault } from '../faults/fault.ts';
import { type FaultObject, type FaultStatus, Faults, endOf, readFaultSpec, targetOf } from './fault-object.ts';

const NAME = 'chaos';
const SETTLED: Outcome = { type: 'settled' };
/** How long a fault that is over is kept for those who look, as Events are. */
const KEPT_MS = HOUR_MS;

/** The faults in force, as this component needs them. */
export interface FaultsInForce {
  readonly active: ReadonlySet<Fault>;
  begin(fault: Fault): void;
  end(fault: Fault): void;
}

export interface ChaosOptions {
  readonly faults: FaultsInForce;
  /** Whom faults can be about. */
  readonly cast: Cast;
}

export function chaos(options: ChaosOptions): Component {
  const begun = new Map<ObjectKey, Begun>();
  return { name: NAME, start: (context) => start(context, options, begun) };
}

/** A fault that was begun, and why it is over if it is. */
interface Begun {
  readonly uid: string;
  readonly object: FaultObject;
  readonly fault: Fault;
  readonly beganAt: InstantMs;
  readonly endsAt: InstantMs | undefined;
  over: string | undefined;
}

function start(context: ComponentContext, options: ChaosOptions, begun: Map<ObjectKey, Begun>): void {
  const informers = informerSet(context);
  const objects = informers.of(Faults);
  const recorder = new EventRecorder({ ...context, component: NAME });
  const keeper = new FaultKeeper({ ...options, context, recorder, begun });
  const { queue } = startController({
    context,
    workers: 1,
    waitFor: [informers],
    triggers: [trigger(objects, ({ object }) => [keyOf(object)])],
    reconciler: {
      name: NAME,
      kind: Faults.kind,
      reconcile: async (key, turn) => {
        const outcome = await keeper.keep(key, objects.get(key), turn);
        // A node that returns ends other faults.
        for (const other of keeper.endedByOthers()) if (other !== key) queue.add(other, turn.reason);
        return outcome;
      },
    },
  });
  informers.start();
}

interface KeeperOptions extends ChaosOptions {
  readonly context: ComponentContext;
  readonly recorder: Recorder;
  readonly begun: Map<ObjectKey, Begun>;
}

class FaultKeeper {
  readonly #options: KeeperOptions;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  endedByOthers(): readonly ObjectKey[] {
    const { begun, faults } = this.#options;
    return [...begun]
      .filter(([, { fault, over }]) => over === undefined && !faults.active.has(fault))
      .map(([key]) => key);
  }

  async keep(key: ObjectKey, object: FaultObject | undefined, turn: Turn): Promise<Outcome> {
    const { begun } = this.#options;
    const known = begun.get(key);
    if (known !== undefined && known.uid !== object?.metadata.uid) {
      begun.delete(key);
      await this.#end(known, 'it was deleted', turn);
    }
    if (object === undefined) return SETTLED;
    if (object.status !== undefined && object.status.state !== 'Active') {
      begun.delete(key);
      return this.#keepForAWhile(object, object.status, turn);
    }
    const now = begun.get(key) ?? (await this.#begin(key, object, turn));
    return now === undefined ? SETTLED : this.#hold(now, object, turn);
  }

  async #begin(key: ObjectKey, object: FaultObject, turn: Turn): Promise<Begun | undefined> {
    const { begun, cast, context, faults } = this.#options;
    const reading = readFaultSpec(object.spec, cast);
    if (reading.type === 'wrong') {
      await this.#write(object, { state: 'Refused', message: reading.message }, turn);
      return undefined;
    }
    const { fault, lastsMs } = reading;
    const since = object.status?.beganAt;
    const beganAt = since === undefined ? context.clock.now() : Date.parse(since);
    const endsAt = endOf(beganAt, lastsMs);
    const { uid } = object.metadata;
    const entry: Begun = { uid, object, fault, beganAt, endsAt, over: undefined };
    begun.set(key, entry);
    if (since !== undefined && this.#isDue(entry)) entry.over = 'its time was over before the cluster came back';
    else {
      faults.begin(fault);
      await this.#tell(entry, 'Warning', { reason: 'FaultBegan', text: 'begins' }, turn);
    }
    return entry;
  }

  /** Brings the object to say what is so. */
  async #hold(entry: Begun, object: FaultObject, turn: Turn): Promise<Outcome> {
    const { context, faults } = this.#options;
    if (entry.over === undefined && !faults.active.has(entry.fault)) await this.#end(entry, 'the node returned', turn);
    const isOnce = entry.endsAt === entry.beganAt;
    if (entry.over === undefined && this.#isDue(entry))
      await this.#end(entry, isOnce ? 'it is done' : 'its time is over', turn);
    const common = { target: targetOf(entry.fault), beganAt: timestamp(entry.beganAt) };
    if (entry.over !== undefined) {
      const endedAt = timestamp(context.clock.now());
      await this.#write(object, { state: 'Ended', message: entry.over, ...common, endedAt }, turn);
      return SETTLED;
    }
    if (object.status === undefined) await this.#write(object, { state: 'Active', ...common }, turn);
    if (entry.endsAt === undefined) return SETTLED;
    return { type: 'requeue', after: entry.endsAt - context.clock.now(), waitingFor: 'the end of the fault' };
  }

  #isDue({ endsAt }: Begun): boolean {
    return endsAt !== undefined && endsAt <= this.#options.context.clock.now();
  }

  async #end(entry: Begun, because: string, turn: Turn): Promise<void> {
    if (entry.over !== undefined) return;
    entry.over = because;
    this.#options.faults.end(entry.fault);
    await this.#tell(entry, 'Normal', { reason: 'FaultEnded', text: `ends: ${because}` }, turn);
  }

  async #write(object: FaultObject, status: FaultStatus, turn: Turn): Promise<void> {
    await turn.cluster.update(Faults, { ...object, status }, { subresource: 'status' });
  }

  async #keepForAWhile({ metadata }: FaultObject, { endedAt }: FaultStatus, turn: Turn): Promise<Outcome> {
    const since = Date.parse(endedAt ?? metadata.creationTimestamp);
    const after = since + KEPT_MS - this.#options.context.clock.now();
    if (after > 0) return { type: 'requeue', after, waitingFor: 'the end of what is kept' };
    try {
      await turn.cluster.delete(Faults, metadata.name, { preconditions: { uid: metadata.uid } });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    return SETTLED;
  }

  /** An Event about the fault, and about the node that it is about. */
  async #tell(
    { fault, object }: Begun,
    type: 'Normal' | 'Warning',
    { reason, text }: { readonly reason: string; readonly text: string },
    turn: Turn,
  ): Promise<void> {
    const recorder = this.#options.recorder.via(turn.cluster);
    const message = `${fault.type} of ${targetOf(fault)} ${text}`;
    recorder.event(object, type, reason, message);
    if (!('node' in fault)) return;
    try {
      recorder.event(await turn.cluster.get(Nodes, fault.node), type, reason, message);
    } catch (error) {
      // A node that has no object has nobody who reads its events.
      if (!isApiError(error, 'NotFound')) throw error;
    }
  }
}
