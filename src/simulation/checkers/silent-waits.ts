import type { InstantMs } from '../../base/clock.ts';
import type { Event } from '../../kube/resources/event.ts';
import type { MakeChecker } from './checker.ts';
import { ATTACH_DETACH } from './scene.ts';

const CONFLICT = /^(Multi-Attach error|Waiting for detach) for volume "([^"]+)"/;
/** A wait for an attach that ran out of time; kubelets of today only log it. */
const WAITED =
  /^Unable to attach or mount volumes: .*unattached volumes=\[[^\]]+\].*(context deadline exceeded|timed out waiting)/;

/** A pod that waits for its volume is told so once, by the attach-detach controller, and not by its kubelet. */
export const silentWaits: MakeChecker = (scene, tell) => {
  /** When a pod was told of a conflict over a volume, by pod uid and volume. */
  const told = new Map<string, InstantMs>();
  return {
    name: 'silent-waits',
    observe(fact) {
      if (fact.type !== 'write' || fact.after?.kind !== 'Event') return;
      const { reason, message = '', count = 1, involvedObject } = fact.after as Event;
      const about = `pod/${involvedObject.namespace ?? ''}/${involvedObject.name ?? ''}`;
      if (reason === 'FailedMount' && WAITED.test(message)) {
        tell({ severity: 'violation', about, says: `its kubelet complains of a wait for an attach: ${message}` });
      }
      const conflict = reason === 'FailedAttachVolume' ? CONFLICT.exec(message) : null;
      if (conflict === null) return;
      const key = `${involvedObject.uid ?? ''} ${conflict[2] ?? ''}`;
      const before = told.get(key);
      const isAgain = count > 1 || before !== undefined;
      told.set(key, before ?? fact.at);
      // What was told is in the controller's memory alone.
      const forgotAt = scene.startedAt(ATTACH_DETACH);
      if (!isAgain || (forgotAt !== undefined && forgotAt >= (before ?? fact.at))) return;
      tell({ severity: 'violation', about, says: `it was told a second time that it waits: ${message}` });
    },
  };
};
