// What goes onto the timeline at the seams: every committed write that tells a reader something, and every CSI call.
import type { Clock } from '../base/clock.ts';
import type { Commit } from '../apiserver/apiserver.ts';
import { CsiStatusError } from '../csi/csi-error.ts';
import type { Around } from '../csi/wrap-driver.ts';
import { isOf, keyFrom, keyOf } from '../kube/object.ts';
import { type Event, Events } from '../kube/resources/event.ts';
import type { Timeline } from '../runtime/timeline.ts';
import { describeChange, describeEvent } from './describe-change.ts';

/** Heartbeats: they come every few seconds and say nothing while they come. */
const SILENT_KINDS = new Set(['Lease']);

export function recordCommit(
  timeline: Timeline,
  clock: Clock,
  { before, after, user, reason, revision }: Commit,
): void {
  const object = after ?? before;
  if (object === undefined || SILENT_KINDS.has(object.kind)) return;
  const about = {
    at: clock.now(),
    actor: user,
    because: reason?.entry ?? null,
    ...(reason === undefined ? {} : { trigger: reason.type }),
    resourceVersion: String(revision),
  };
  if (isOf(Events, object)) {
    if (after !== undefined) timeline.record({ ...about, ...eventEntry(object) });
    return;
  }
  const { verb, detail } = describeChange(before, after);
  if (verb === 'updates' && detail === '') return;
  timeline.record({ ...about, verb, kind: object.kind, key: keyOf(object), ...(detail === '' ? {} : { detail }) });
}

function eventEntry(event: Event): {
  readonly verb: string;
  readonly kind: string;
  readonly key: string;
  readonly detail: string;
} {
  const { kind = '', namespace, name = '' } = event.involvedObject;
  const times = event.series?.count ?? event.count ?? 1;
  return {
    verb: 'event',
    kind,
    key: keyFrom(namespace, name),
    detail: `${describeEvent(event)}${times > 1 ? ` (x${times})` : ''}`,
  };
}

/** Questions that are asked all the time and change nothing. */
const SILENT_CALLS = new Set([
  'GetPluginInfo',
  'GetPluginCapabilities',
  'Probe',
  'ControllerGetCapabilities',
  'NodeGetCapabilities',
  'NodeGetInfo',
  'GetCapacity',
]);

export function recordCall(timeline: Timeline, clock: Clock): Around {
  return async ({ driver, rpc, request, nodeName, options }, proceed) => {
    if (SILENT_CALLS.has(rpc)) return proceed();
    const key = subjectOf(request);
    const where = nodeName === undefined ? '' : ` on ${nodeName}`;
    const entry = (detail: string): void => {
      timeline.record({
        at: clock.now(),
        actor: driver,
        verb: rpc,
        kind: 'CSI',
        key,
        detail: `${detail}${where}`,
        because: options.reason?.entry ?? null,
      });
    };
    try {
      const answer = await proceed();
      entry('OK');
      return answer;
    } catch (error) {
      entry(error instanceof CsiStatusError ? `${error.code}: ${error.description}` : String(error));
      throw error;
    }
  };
}

function subjectOf(request: object): string {
  for (const field of ['volumeId', 'name', 'snapshotId']) {
    const value: unknown = Reflect.get(request, field);
    if (typeof value === 'string') return value;
  }
  return '';
}
