// How many objects the PV controller looks at to bind one claim. Its view hands out objects that note when their spec is
// read; an object read twice between two writes counts once. The number must not grow with the number of volumes.
import { reportRatio } from '../../scripts/bench/ratios.ts';
import type { Cluster, WatchEvent } from '../../src/kube/cluster.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import { claimsAndVolumes } from './claims-and-volumes.ts';

const SIZES = [500, 5_000] as const;

class Touches {
  /** Objects read since the last write. */
  readonly #fresh = new Set<string>();
  count = 0;

  watch(cluster: Cluster): Cluster {
    return {
      ...bound(cluster),
      list: async (resource, options) => {
        const list = await cluster.list(resource, options);
        return { ...list, items: list.items.map((each) => this.#noted(each)) };
      },
      watch: (resource, options, sink) =>
        cluster.watch(resource, options, {
          event: (event) => sink.event(this.#notedEvent(event)),
          closed: (cause) => sink.closed(cause),
        }),
      update: (...args) => {
        this.#fresh.clear();
        return cluster.update(...args);
      },
      because: (reason) => this.watch(cluster.because(reason)),
    };
  }

  #notedEvent<T extends KubeObject>(event: WatchEvent<T>): WatchEvent<T> {
    return 'object' in event ? { ...event, object: this.#noted(event.object) } : event;
  }

  #noted<T extends KubeObject>(object: T): T {
    return new Proxy(object, {
      get: (target, property) => {
        if (property === 'spec') this.#note(`${target.kind} ${target.metadata.name}`);
        return Reflect.get(target, property) as unknown;
      },
    });
  }

  #note(name: string): void {
    if (this.#fresh.has(name)) return;
    this.#fresh.add(name);
    this.count++;
  }
}

const bound = (cluster: Cluster): Omit<Cluster, 'because' | 'list' | 'watch' | 'update'> => ({
  get: (...args) => cluster.get(...args),
  create: (...args) => cluster.create(...args),
  patch: (...args) => cluster.patch(...args),
  post: (...args) => cluster.post(...args),
  delete: (...args) => cluster.delete(...args),
  deleteCollection: (...args) => cluster.deleteCollection(...args),
});

async function touchesPerClaim(count: number): Promise<number> {
  const touches = new Touches();
  const world = await claimsAndVolumes(count, (cluster) => touches.watch(cluster));
  touches.count = 0;
  await world.bindAll();
  return touches.count / count;
}

const [small, large] = [await touchesPerClaim(SIZES[0]), await touchesPerClaim(SIZES[1])];
reportRatio({
  name: 'touches-growth',
  ratio: large / small,
  measured: `${large.toFixed(1)} objects a claim of ${SIZES[1]}`,
  against: `${small.toFixed(1)} objects a claim of ${SIZES[0]}`,
});
