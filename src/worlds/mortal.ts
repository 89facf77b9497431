// The view of a component that can die. A pass that was waiting when its process ended must not go on to write: what
// nobody remembers having asked for nobody may do.
import { Aborted } from '../base/clock.ts';
import type { Cluster } from '../kube/cluster.ts';

export function mortal(inner: Cluster, life: AbortSignal): Cluster {
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (life.aborted) throw new Aborted();
    const answer = await ask();
    if (life.aborted) throw new Aborted();
    return answer;
  };
  return {
    get: (...args) => alive(() => inner.get(...args)),
    list: (...args) => alive(() => inner.list(...args)),
    watch: (...args) => (life.aborted ? { dispose: () => undefined } : inner.watch(...args)),
    create: (...args) => alive(() => inner.create(...args)),
    update: (...args) => alive(() => inner.update(...args)),
    patch: (...args) => alive(() => inner.patch(...args)),
    post: (...args) => alive(() => inner.post(...args)),
    delete: (...args) => alive(() => inner.delete(...args)),
    deleteCollection: (...args) => alive(() => inner.deleteCollection(...args)),
    because: (reason) => mortal(inner.because(reason), life),
  };
}
