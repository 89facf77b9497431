import { expired } from '../../kube/api-error.ts';
import type { Disposable, WatchEvent, WatchOptions, WatchSink } from '../../kube/cluster.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Change, ObjectStore } from '../objectstore/object-store.ts';
import { listObjects } from './generic-list.ts';
import type { Strategy } from './strategy.ts';

export function openWatch(
  store: ObjectStore,
  strategy: Strategy,
  options: WatchOptions,
  sink: WatchSink<KubeObject>,
): Disposable {
  const from = options.resourceVersion ?? '';
  const matches = (object: KubeObject | undefined): object is KubeObject =>
    object !== undefined && (options.namespace === undefined || object.metadata.namespace === options.namespace);
  if (from === '' || from === '0' || options.sendInitialEvents === true) {
    const list = listObjects(store, strategy, options);
    for (const object of list.items) sink.event({ type: 'ADDED', object });
    if (options.allowWatchBookmarks === true)
      sink.event({ type: 'BOOKMARK', resourceVersion: list.resourceVersion, initialEventsEnd: true });
  } else {
    const changes = store.changesSince(strategy.resource, Number(from));
    if (changes === undefined) {
      const error = expired(`too old resource version: ${from} (${store.revision})`);
      sink.event({ type: 'ERROR', error });
      sink.closed(error);
      return { dispose: () => undefined };
    }
    for (const change of changes) send(change);
  }
  function send(change: Change): void {
    const event = eventOf(change, matches);
    if (event !== undefined) sink.event(event);
  }
  return store.subscribe(strategy.resource, send);
}

function eventOf(
  change: Change,
  matches: (object: KubeObject | undefined) => object is KubeObject,
): WatchEvent<KubeObject> | undefined {
  const { before, after } = change;
  if (matches(after)) return { type: matches(before) ? 'MODIFIED' : 'ADDED', object: after };
  if (!matches(before)) return undefined;
  const metadata = { ...before.metadata, resourceVersion: String(change.revision) };
  return { type: 'DELETED', object: Object.freeze({ ...before, metadata: Object.freeze(metadata) }) };
}
