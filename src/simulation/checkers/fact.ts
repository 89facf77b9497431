// What checkers hear of a world, in the order in which it happens.
import type { InstantMs } from '../../base/clock.ts';
import type { CsiCode } from '../../csi/driver.ts';
import type { CsiEffect } from '../../csi/drivers/memory/backend.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { NumberedEntry } from '../../runtime/timeline.ts';
import type { Fault } from '../faults/fault.ts';

export type Fact = { readonly at: InstantMs } & (CommittedWrite | BackendEffect | CallFact | FaultFact | EntryFact);

export interface CommittedWrite {
  readonly type: 'write';
  readonly actor: string;
  /** Absent for what was created. */
  readonly before?: KubeObject;
  /** Absent for what is gone. */
  readonly after?: KubeObject;
}
/** Something happened to the disks behind a driver. A call that changed nothing has no effect. */
export interface BackendEffect {
  readonly type: 'effect';
  readonly effect: CsiEffect;
}
/** A call as its caller sees it: it ends with an answer, a deadline or the end of the caller. */
export interface CallFact {
  readonly type: 'call-begins' | 'call-ends';
  /** The same for the beginning and the end of one call. */
  readonly id: number;
  readonly driver: string;
  readonly rpc: string;
  readonly volumeId: string;
  readonly nodeName?: string;
  readonly nodeId?: string;
  /** Staging or target path of a call of the node service. */
  readonly path?: string;
  /** When it has ended. */
  readonly code?: CsiCode;
}
export interface FaultFact {
  readonly type: 'fault-begins' | 'fault-ends';
  readonly fault: Fault;
}
/** What a component told of itself. */
export interface EntryFact {
  readonly type: 'entry';
  readonly entry: NumberedEntry;
}
