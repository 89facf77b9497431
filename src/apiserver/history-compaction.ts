// Forgets old changes after a while, as the store behind a real API server does: nobody resumes from so long ago, and what
// happened in a busy hour need not stay in memory for a quiet day.
// kubernetes:staging/src/k8s.io/apiserver/pkg/storage/etcd3/compact.go
import { type Clock, type DurationMs, MINUTE_MS } from '../base/clock.ts';
import type { ObjectStore } from './objectstore/object-store.ts';

/** Changes stay known for this long, and at most twice as long. */
const COMPACTION_MS: DurationMs = 5 * MINUTE_MS;

export function compactByTime(store: Pick<ObjectStore, 'toldRevision' | 'compact'>, clock: Clock): void {
  const seen = store.toldRevision;
  const compact = (): void => {
    store.compact(seen);
    compactByTime(store, clock);
  };
  clock.after(COMPACTION_MS, compact, { background: true });
}
