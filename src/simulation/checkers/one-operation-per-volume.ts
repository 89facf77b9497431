import { CONTROLLER_CHANGES, NODE_CHANGES } from '../../csi/driver.ts';
import type { MakeChecker } from './checker.ts';
import type { CallFact } from './fact.ts';

/** Calls that change something, as far as they must not overlap. */
const CHANGES: ReadonlySet<string> = new Set([...CONTROLLER_CHANGES, ...NODE_CHANGES]);
/** Calls about one pod's target: those of different pods may overlap. */
const OF_TARGET: ReadonlySet<string> = new Set(['NodePublishVolume', 'NodeUnpublishVolume']);

/** Calls of the resizer. It keeps nobody from deleting a volume that it changes: it has no finalizer on it, and no lock. */
const OF_RESIZER: ReadonlySet<string> = new Set(['ControllerExpandVolume', 'ControllerModifyVolume']);

/** A driver is never asked to do two things to one volume at one place at once. */
export const oneOperationPerVolume: MakeChecker = (_scene, tell) => {
  const underWay = new Map<number, CallFact>();
  return {
    name: 'one-operation-per-volume',
    observe(fact) {
      if (fact.type === 'call-ends') underWay.delete(fact.id);
      if (fact.type !== 'call-begins' || !CHANGES.has(fact.rpc)) return;
      for (const other of underWay.values()) {
        if (!collides(fact, other)) continue;
        const where = fact.nodeName === undefined ? '' : ` on ${fact.nodeName}`;
        const isResizers = [fact, other].some(({ rpc }) => OF_RESIZER.has(rpc));
        const isDeletion = [fact, other].some(({ rpc }) => rpc === 'DeleteVolume');
        tell({
          severity: isResizers && isDeletion ? 'known' : 'violation',
          about: `volume ${fact.volumeId}`,
          says: `${fact.rpc} was called while ${other.rpc} was under way${where}`,
        });
      }
      underWay.set(fact.id, fact);
    },
  };
};

function collides(call: CallFact, other: CallFact): boolean {
  const isSamePlace =
    call.driver === other.driver &&
    call.volumeId === other.volumeId &&
    call.nodeName === other.nodeName &&
    call.nodeId === other.nodeId;
  if (!isSamePlace) return false;
  return !(OF_TARGET.has(call.rpc) && OF_TARGET.has(other.rpc) && call.path !== other.path);
}
