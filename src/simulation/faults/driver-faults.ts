// Faults around CSI drivers. A call to a machine without power or out of reach gets no answer; everything else is a match
// of the call against the faults in force, the oldest first.
import { unreachable } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { CsiStatusError } from '../../csi/csi-error.ts';
import type { Around, DriverCall, Proceed } from '../../csi/wrap-driver.ts';
import type { CsiFault } from './fault.ts';
import { Gate } from './gate.ts';
import type { Machine, Machines } from './machine.ts';

/** Calls of the node service that need the storage itself. */
const STORAGE_CALLS = new Set([
  'NodeStageVolume',
  'NodeUnstageVolume',
  'NodePublishVolume',
  'NodeExpandVolume',
  'NodeGetVolumeStats',
]);
/** Questions that change nothing are answered while something else is under way. */
const QUESTION = /^(Get|Probe|List|Validate|NodeGet|ControllerGet)/;

export class DriverFaults {
  readonly #clock: () => Clock;
  readonly #machines: Machines;
  /** In force, in the order they began. Hanging calls wait at the gate of their fault. */
  readonly #active = new Map<CsiFault, { readonly random: Random; readonly gate: Gate }>();
  /** Volumes on which a slow call is at work: a driver does one thing at a time to a volume. */
  readonly #busy = new Set<string>();

  constructor(clock: () => Clock, machines: Machines) {
    this.#clock = clock;
    this.#machines = machines;
  }

  begin(fault: CsiFault, random: Random): void {
    const gate = new Gate();
    if (fault.type === 'csi-hang') gate.close(fault);
    this.#active.set(fault, { random, gate });
  }

  end(fault: CsiFault): void {
    this.#active.get(fault)?.gate.open(fault);
    this.#active.delete(fault);
  }

  readonly around: Around = async (call, proceed) => {
    const machine = call.nodeName === undefined ? undefined : this.#machines.of(call.nodeName);
    if (machine !== undefined && !isWithinReach(machine)) await this.#reach(machine, call);
    const answer = await this.#answer(call, proceed);
    if (machine !== undefined && !machine.time.isOpen) await machine.time.pass();
    return answer;
  };

  async #reach(machine: Machine, call: DriverCall): Promise<void> {
    if (!machine.hasPower) await forever(call.options.signal);
    await machine.time.pass();
    if (STORAGE_CALLS.has(call.rpc)) await this.#waitAt(machine.storage, call);
  }

  async #answer<R>(call: DriverCall, proceed: Proceed<R>): Promise<R> {
    const isQuestion = QUESTION.test(call.rpc);
    if (!isQuestion && this.#busy.has(subjectOf(call))) {
      throw new CsiStatusError('ABORTED', `an operation on ${subjectOf(call)} is under way`);
    }
    for (const [fault, { random, gate }] of this.#active) {
      if (!matches(fault, call)) continue;
      if (fault.type === 'csi-hang') await this.#waitAt(gate, call);
      else return this.#disturb(fault, random, { call, proceed });
    }
    return proceed();
  }

  async #disturb<R>(
    fault: Exclude<CsiFault, { readonly type: 'csi-hang' }>,
    random: Random,
    { call, proceed }: { readonly call: DriverCall; readonly proceed: Proceed<R> },
  ): Promise<R> {
    switch (fault.type) {
      case 'csi':
        if (!random.chance(fault.probability)) return proceed();
        if (fault.afterEffect) await proceed();
        throw new CsiStatusError(fault.code, `${call.rpc} was made to fail`);
      case 'csi-slow':
        return this.#slowly(fault.byMs, call, proceed);
      default:
        return unreachable(fault);
    }
  }

  async #slowly<R>(byMs: number, call: DriverCall, proceed: Proceed<R>): Promise<R> {
    const subject = subjectOf(call);
    this.#busy.add(subject);
    try {
      await this.#clock().sleep(byMs, call.options.signal);
      return await proceed();
    } finally {
      this.#busy.delete(subject);
    }
  }

  /** A driver that finds its caller gone does nothing. */
  async #waitAt(gate: Gate, { rpc, options }: DriverCall): Promise<void> {
    if (gate.isOpen) return;
    const gaveUpAt = this.#clock().monotonic() + options.deadlineMs;
    await gate.pass();
    if (options.signal.aborted || this.#clock().monotonic() >= gaveUpAt) {
      throw new CsiStatusError('CANCELLED', `nobody waits for ${rpc} any more`);
    }
  }
}

const isWithinReach = ({ hasPower, time, storage }: Machine): boolean => hasPower && time.isOpen && storage.isOpen;

const matches = (fault: CsiFault, { driver, rpc }: DriverCall): boolean =>
  fault.call === rpc && (fault.driver ?? driver) === driver;

function subjectOf({ driver, nodeName = '', request }: DriverCall): string {
  const { volumeId, snapshotId, name } = request as {
    readonly volumeId?: string;
    readonly snapshotId?: string;
    readonly name?: string;
  };
  return `${nodeName} ${driver} ${volumeId ?? snapshotId ?? name ?? ''}`.trim();
}

/** No answer comes; the caller's own deadline or end is what ends the call. */
function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => reject(new CsiStatusError('CANCELLED', 'the caller gave up'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
