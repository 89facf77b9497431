// Whether a volume that pods want on a node is attached to it now. Upstream: attachDesiredVolumes in
// kubernetes:pkg/controller/volume/attachdetach/reconciler/reconciler.go.
import { type AttachState } from './actual-state-of-world.ts';

export interface AttachFacts {
  readonly state: AttachState;
  /** May be on one node only. */
  readonly isExclusive: boolean;
  /** Other nodes that certainly have it. Uncertain ones do not count: there the driver is the last line of defence. */
  readonly certainlyOn: readonly string[];
  readonly multiAttachErrorReported: boolean;
}

export type AttachDecision =
  | { readonly type: 'keep' }
  /** `tellPods`: the event is sent once for each time the volume is wanted on the node. */
  | { readonly type: 'blocked'; readonly by: readonly string[]; readonly tellPods: boolean }
  /** Also if it is uncertain whether it is attached already: asking again does no harm. */
  | { readonly type: 'attach' };

export function decideAttach(facts: AttachFacts): AttachDecision {
  if (facts.state === 'attached') return { type: 'keep' };
  if (!facts.isExclusive || facts.certainlyOn.length === 0) return { type: 'attach' };
  return { type: 'blocked', by: facts.certainlyOn, tellPods: !facts.multiAttachErrorReported };
}
