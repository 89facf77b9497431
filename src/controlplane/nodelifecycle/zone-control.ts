// The state of each zone and the rate of its taint queue. Zones come with their first node and go when none of their
// nodes counts any more.
import { unreachable } from '../../base/assert.ts';
import type { NoExecuteTainter } from './no-execute.ts';
import { ZoneLedger } from './zone-ledger.ts';
import {
  type ZoneCount,
  type ZoneLimits,
  type ZoneState,
  decideDisruption,
  evictionRate,
  zoneStateOf,
} from './zones.ts';

interface ZoneActions {
  /** Every zone is down: before evictions stop, all NoExecute taints go. */
  readonly stopping: () => Promise<void>;
  /** Somebody answers again: before evictions go on, everybody is taken as heard of. */
  readonly resuming: () => void;
}

const NO_NODES: ZoneCount = { ready: 0, notReady: 0, excluded: 0 };

export class ZoneControl {
  readonly ledger = new ZoneLedger();
  readonly #limits: ZoneLimits;
  readonly #tainter: NoExecuteTainter;
  readonly #states = new Map<string, ZoneState>();

  constructor(limits: ZoneLimits, tainter: NoExecuteTainter) {
    this.#limits = limits;
    this.#tainter = tainter;
  }

  /** A zone not known before gets a queue of its own. */
  add(zone: string): void {
    if (this.#states.has(zone)) return;
    this.#states.set(zone, 'Initial');
    this.#tainter.addZone(zone, this.#limits.nodeEvictionRate);
  }

  /** At the end of a pass, when every node has been counted. */
  async settle({ stopping, resuming }: ZoneActions): Promise<void> {
    const after = this.#statesNow();
    const before = new Map([...this.#states].filter(([zone]) => after.has(zone)));
    const decision = decideDisruption(before, after);
    switch (decision.type) {
      case 'unchanged':
        break;
      case 'stop-evictions':
        await stopping();
        for (const zone of after.keys()) this.#tainter.setRate(zone, 0);
        break;
      case 'resume-evictions':
        resuming();
        for (const zone of after.keys()) this.#setRate(zone, after);
        break;
      case 'adjust':
        for (const zone of decision.zones) this.#setRate(zone, after);
        break;
      default:
        return unreachable(decision);
    }
    for (const [zone, state] of after) this.#states.set(zone, state);
  }

  /** A zone of which no node counts keeps its queue and its rate, and says nothing about the others. */
  #statesNow(): ReadonlyMap<string, ZoneState> {
    const { counts } = this.ledger;
    for (const zone of this.#states.keys()) {
      if (!counts.has(zone)) this.#states.delete(zone);
    }
    const states = new Map<string, ZoneState>();
    for (const [zone, count] of counts) {
      this.add(zone);
      const state = zoneStateOf(count, this.#limits);
      if (state !== undefined) states.set(zone, state);
    }
    return states;
  }

  #setRate(zone: string, states: ReadonlyMap<string, ZoneState>): void {
    const count = this.ledger.counts.get(zone) ?? NO_NODES;
    const rate = evictionRate(states.get(zone) ?? 'Initial', count, this.#limits);
    if (rate !== undefined) this.#tainter.setRate(zone, rate);
  }
}
