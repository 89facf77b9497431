// Watches of one kind. A change is turned into an event once for all watches that select the same, and watches that are
// bound to one value of a field (pods of one node, one object by name) are found by that value instead of being asked.
// Events reach a sink in the order of their revisions, none lost, none twice, inside the commit that makes them.
// kubernetes:staging/src/k8s.io/apiserver/pkg/storage/cacher/cacher.go
import { type ApiError, expired, invalid, tooLargeResourceVersion } from '../../kube/api-error.ts';
import type { Disposable, WatchEvent, WatchOptions, WatchSink } from '../../kube/cluster.ts';
import { invalid as invalidField } from '../../kube/field-error.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { Change } from '../objectstore/change-history.ts';
import type { ObjectStore } from '../objectstore/object-store.ts';
import { refuse, watchFaults } from './generic-list.ts';
import { Selection } from './generic-selection.ts';
import type { Strategy } from './strategy.ts';

interface Watch {
  readonly sink: WatchSink<KubeObject>;
  readonly bookmarks: boolean;
  /** Changes up to this revision are of no interest or already told. */
  seen: number;
}

/** Watches with equal selections. */
interface Group {
  readonly selection: Selection;
  readonly watches: Set<Watch>;
}

interface Anchor {
  readonly of: (object: KubeObject) => string;
  readonly groups: Map<string, Set<Group>>;
}

export interface OpenWatch extends Disposable {
  /** Tells the reader how far it has seen, if that is further than it knows. */
  bookmark(): void;
  end(cause: ApiError | undefined): void;
}

export class WatchHub {
  readonly #store: ObjectStore;
  readonly #strategy: Strategy;
  readonly #groups = new Map<string, Group>();
  /** Groups that some field binds to one value, by field and value. Disjoint from #unbound; together they are #groups. */
  readonly #anchors = new Map<string, Anchor>();
  readonly #unbound = new Set<Group>();
  /** Set from the first watch on. */
  #subscription: Disposable | undefined;

  constructor(store: ObjectStore, strategy: Strategy) {
    this.#store = store;
    this.#strategy = strategy;
  }

  /** What is already known is told before this returns. Throws what the request would be answered with. */
  open(options: WatchOptions, sink: WatchSink<KubeObject>): OpenWatch {
    refuse(watchFaults(options));
    const selection = new Selection(this.#strategy, options);
    const watch: Watch = { sink, bookmarks: options.allowWatchBookmarks === true, seen: this.#store.revision };
    const known = this.#known(selection, options, watch);
    if (known === 'expired') return endedAtOnce(sink, options, this.#store.historyFloor(this.#strategy.resource));
    const group = this.#join(selection, watch);
    for (const event of known) sink.event(event);
    return {
      dispose: () => void this.#leave(group, watch),
      bookmark: () => this.#bookmark(watch),
      end: (cause) => {
        if (this.#leave(group, watch)) sink.closed(cause);
      },
    };
  }

  /** Open watches. */
  get size(): number {
    return [...this.#groups.values()].reduce((sum, { watches }) => sum + watches.size, 0);
  }

  /** Ends every watch. */
  end(): void {
    this.#subscription?.dispose();
    this.#subscription = undefined;
    for (const group of this.#groups.values())
      for (const watch of group.watches) if (this.#leave(group, watch)) watch.sink.closed(undefined);
  }

  /** The events a new watch begins with; sets from where on it wants to be told. */
  #known(selection: Selection, options: WatchOptions, watch: Watch): readonly WatchEvent<KubeObject>[] | 'expired' {
    const from = this.#parseRevision(options.resourceVersion ?? '');
    if (options.sendInitialEvents ?? from === 0) {
      if (from > this.#store.revision) throw tooLargeResourceVersion(from, this.#store.revision);
      return this.#initial(selection, watch);
    }
    if (from === 0) return [];
    watch.seen = Math.max(from, this.#store.revision);
    const changes = this.#store.changesSince(this.#strategy.resource, from);
    return changes === undefined ? 'expired' : changes.flatMap((change) => eventOf(change, selection) ?? []);
  }

  #initial(selection: Selection, { bookmarks }: Watch): readonly WatchEvent<KubeObject>[] {
    const events: WatchEvent<KubeObject>[] = [];
    this.#store.visit(this.#strategy.resource, selection.range, (object) => {
      if (selection.matches(object)) events.push({ type: 'ADDED', object });
      return true;
    });
    if (bookmarks)
      events.push({ type: 'BOOKMARK', resourceVersion: String(this.#store.revision), initialEventsEnd: true });
    return events;
  }

  #parseRevision(text: string): number {
    if (text === '') return 0;
    if (/^[0-9]+$/.test(text)) return Number(text);
    const { group, plural } = this.#strategy.resource;
    const fault = invalidField('resourceVersion', text, `strconv.ParseUint: parsing "${text}": invalid syntax`);
    throw invalid({ group, kind: plural }, '', [fault]);
  }

  #join(selection: Selection, watch: Watch): Group {
    this.#subscription ??= this.#store.subscribe(this.#strategy.resource, (change) => this.#tell(change));
    const group = this.#groups.get(selection.id) ?? this.#newGroup(selection);
    group.watches.add(watch);
    return group;
  }

  #newGroup(selection: Selection): Group {
    const group: Group = { selection, watches: new Set() };
    this.#groups.set(selection.id, group);
    const { anchor } = selection;
    if (anchor === undefined) {
      this.#unbound.add(group);
      return group;
    }
    const { groups } = upsert(this.#anchors, anchor.field, () => ({
      of: anchor.of,
      groups: new Map<string, Set<Group>>(),
    }));
    upsert(groups, anchor.value, () => new Set<Group>()).add(group);
    return group;
  }

  /** Whether it was still open. */
  #leave(group: Group, watch: Watch): boolean {
    if (!group.watches.delete(watch)) return false;
    if (group.watches.size === 0) this.#forget(group);
    return true;
  }

  #forget(group: Group): void {
    const { selection } = group;
    this.#groups.delete(selection.id);
    this.#unbound.delete(group);
    const { anchor } = selection;
    if (anchor === undefined) return;
    const groups = this.#anchors.get(anchor.field)?.groups;
    const ofValue = groups?.get(anchor.value);
    ofValue?.delete(group);
    if (ofValue?.size === 0) groups?.delete(anchor.value);
  }

  #tell(change: Change): void {
    for (const group of this.#unbound) tellGroup(group, change);
    for (const { of, groups } of this.#anchors.values()) {
      const before = change.before === undefined ? undefined : of(change.before);
      const after = change.after === undefined ? undefined : of(change.after);
      if (before !== undefined) for (const group of groups.get(before) ?? []) tellGroup(group, change);
      if (after !== undefined && after !== before)
        for (const group of groups.get(after) ?? []) tellGroup(group, change);
    }
  }

  #bookmark(watch: Watch): void {
    const { toldRevision: revision } = this.#store;
    if (!watch.bookmarks || revision <= watch.seen) return;
    watch.seen = revision;
    watch.sink.event({ type: 'BOOKMARK', resourceVersion: String(revision), initialEventsEnd: false });
  }
}

/** A watch from before the known history opens and says so, as upstream's does, instead of being refused. */
function endedAtOnce(sink: WatchSink<KubeObject>, { resourceVersion = '' }: WatchOptions, floor: number): OpenWatch {
  const error = expired(`too old resource version: ${resourceVersion} (${floor})`);
  sink.event({ type: 'ERROR', error });
  sink.closed(undefined);
  return { dispose: () => undefined, bookmark: () => undefined, end: () => undefined };
}

function tellGroup({ selection, watches }: Group, change: Change): void {
  const event = eventOf(change, selection);
  if (event === undefined) return;
  for (const watch of watches) {
    if (change.revision <= watch.seen) continue;
    watch.seen = change.revision;
    watch.sink.event(event);
  }
}

/** A change that leaves the selection is a deletion of the object as it was, under the revision of the change. */
function eventOf(change: Change, selection: Selection): WatchEvent<KubeObject> | undefined {
  const { before, after } = change;
  if (selection.matches(after)) return { type: selection.matches(before) ? 'MODIFIED' : 'ADDED', object: after };
  return selection.matches(before) ? { type: 'DELETED', object: lastState(before, change.revision) } : undefined;
}

function lastState(object: KubeObject, revision: number): KubeObject {
  const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(revision) });
  return Object.freeze({ ...object, metadata });
}

function upsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const made = make();
  map.set(key, made);
  return made;
}
