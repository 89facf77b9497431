// Many requests of one kind, in batches of 1, 2, 4, ...: a refusal that all of them would meet is met by few.
// kubernetes:pkg/controller/replicaset/replica_set.go#slowStartBatch

export interface SlowStartResult {
  readonly succeeded: number;
  /** Of the last batch; what came after it was not tried. */
  readonly failures: readonly unknown[];
}

/** The calls of a batch run side by side. The first batch with a failure is the last. */
export async function inSlowStart<T>(
  items: readonly T[],
  call: (item: T) => Promise<unknown>,
  batchSizeMax: number = Number.POSITIVE_INFINITY,
): Promise<SlowStartResult> {
  let succeeded = 0;
  let from = 0;
  for (let size = 1; from < items.length; size = Math.min(2 * size, batchSizeMax)) {
    const batch = items.slice(from, from + size);
    const settled = await Promise.allSettled(batch.map(call));
    const failures = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
    succeeded += batch.length - failures.length;
    if (failures.length > 0) return { succeeded, failures };
    from += batch.length;
  }
  return { succeeded, failures: [] };
}
