// Looks on at a running cluster as any client can: every write, in the order of the server, and the time of the cluster at
// each. Leases tell the time to the microsecond whenever a node or a leader renews one; a write between two renewals was
// made between their times. New objects tell the second of their creation, which narrows it further.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from '../../src/kube/cluster.ts';
import { type KubeObject, type Resource, keyOf, qualifiedResource } from '../../src/kube/object.ts';
import { Events } from '../../src/kube/resources/event.ts';
import { type Lease, Leases } from '../../src/kube/resources/lease.ts';
import { Nodes } from '../../src/kube/resources/node.ts';
import { PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { Faults } from '../../src/simulation/chaos/fault-object.ts';
import type { Written } from '../truth/timelines/diary.ts';

const WATCHED: readonly Resource<KubeObject>[] = [
  Pods,
  VolumeAttachments,
  Nodes,
  Events,
  Leases,
  PersistentVolumes,
  Faults,
];

export interface SeenWrite extends Written {
  readonly revision: number;
}

export class OutageWatch {
  readonly #objects = new Map<string, KubeObject>();
  readonly #writes: SeenWrite[] = [];
  /** What time it was at which revision, in order. */
  readonly #instants: { readonly revision: number; readonly at: number }[] = [];
  readonly #renewals: { readonly node: string; readonly at: number; readonly revision: number }[] = [];
  /** The second in which an object was new, by revision. */
  readonly #created: { readonly revision: number; readonly second: number }[] = [];
  #now = 0;
  #ended: string | undefined;

  start(cluster: Cluster): void {
    for (const resource of WATCHED) {
      cluster.watch(
        resource,
        {},
        {
          event: (event) => {
            if ('object' in event) this.#note(resource, event.object, event.type === 'DELETED');
          },
          closed: (cause) => {
            this.#ended ??= `the watch of ${resource.plural} ended: ${cause?.message ?? 'without a word'}`;
          },
        },
      );
    }
  }

  #note(resource: Resource<KubeObject>, object: KubeObject, isGone: boolean): void {
    const revision = Number(object.metadata.resourceVersion);
    const name = `${qualifiedResource(resource)} ${keyOf(object)}`;
    const before = this.#objects.get(name);
    if (isGone) this.#objects.delete(name);
    else this.#objects.set(name, object);
    this.#writes.push({ revision, before, after: isGone ? undefined : object });
    if (before === undefined && !isGone)
      this.#created.push({ revision, second: Date.parse(object.metadata.creationTimestamp) });
    const renewed = resource === Leases ? (object as Lease).spec.renewTime : undefined;
    if (renewed === undefined || isGone) return;
    const at = instantOf(renewed);
    this.#instants.push({ revision, at });
    this.#renewals.push({ node: object.metadata.name, at, revision });
    this.#now = Math.max(this.#now, at);
  }

  /** The newest time of the cluster that is known. */
  get now(): number {
    return this.#now;
  }

  /** Every write in the order of the server. */
  get writes(): readonly SeenWrite[] {
    if (this.#ended !== undefined) throw new Error(this.#ended);
    return this.#writes.toSorted((a, b) => a.revision - b.revision);
  }

  /** Between the renewals before and after, and not before or after the seconds of what was made then. */
  clock(): (revision: number) => number {
    const instants = this.#instants.toSorted((a, b) => a.revision - b.revision);
    const created = this.#created.toSorted((a, b) => a.revision - b.revision);
    return (revision) => {
      const earliest = created.findLast((each) => each.revision <= revision)?.second ?? 0;
      const latest = created.find((each) => each.revision >= revision)?.second ?? Infinity;
      return Math.max(earliest, Math.min(betweenRenewals(instants, revision), latest + 1000));
    };
  }

  /** The newest that the server had when this write came. */
  lastRenewal(node: string, revision: number): number {
    const earlier = this.#renewals.filter((each) => each.node === node && each.revision < revision);
    return Math.max(0, ...earlier.map(({ at }) => at));
  }

  /** The first write that is so. */
  first(isSo: (object: KubeObject) => boolean): SeenWrite | undefined {
    return this.#writes.find(({ after }) => after !== undefined && isSo(after));
  }

  objects<T extends KubeObject>(resource: Resource<T>): readonly T[] {
    const kind = `${qualifiedResource(resource)} `;
    return [...this.#objects].filter(([name]) => name.startsWith(kind)).map(([, object]) => object as T);
  }

  async until(isSo: () => boolean, withinMs: number, what: string): Promise<void> {
    const deadline = Date.now() + withinMs;
    while (!isSo()) {
      if (this.#ended !== undefined) throw new Error(this.#ended);
      if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s`);
      await sleep(20);
    }
  }
}

function betweenRenewals(
  instants: readonly { readonly revision: number; readonly at: number }[],
  revision: number,
): number {
  const next = instants.findIndex((each) => each.revision >= revision);
  const [before, after] = [instants[next - 1], instants[next]];
  if (next < 0) return instants.at(-1)?.at ?? 0;
  if (before === undefined || after === undefined) return after?.at ?? 0;
  const share = (revision - before.revision) / (after.revision - before.revision);
  return before.at + share * (after.at - before.at);
}

/** Milliseconds with their fraction: `2026-01-01T00:00:00.123456Z`. */
function instantOf(text: string): number {
  const [, micros = '0'] = /\.\d{3}(\d{3})/.exec(text) ?? [];
  return Date.parse(text) + Number(micros) / 1000;
}
