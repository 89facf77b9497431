// A read that asks for a revision not yet reached waits a little: the client may have heard of it from another server.
// kubernetes:staging/src/k8s.io/apiserver/pkg/storage/cacher/watch_cache.go
import { type Clock, SECOND_MS } from '../../base/clock.ts';
import type { ApiRequest } from '../api-request.ts';

const WAIT_MS_MAX = 3 * SECOND_MS;
const POLL_MS = 20;

/** The revision that the answer must have reached at least; an exact one is not waited for. */
export function awaitedRevision(request: ApiRequest): string | undefined {
  if (request.verb === 'get') return request.resourceVersion;
  if (request.verb !== 'list') return undefined;
  const { resourceVersion, resourceVersionMatch: match, limit = 0 } = request.options;
  const isExact = match === 'Exact' || (match === undefined && limit > 0);
  return isExact ? undefined : resourceVersion;
}

/** Comes back when the revision is reached or the wait is over: whether it was reached is for the core to say. */
export async function untilReached(
  revision: string | undefined,
  server: { readonly revision: number },
  clock: Clock,
): Promise<void> {
  if (revision === undefined || !/^[0-9]+$/.test(revision)) return;
  const wanted = Number(revision);
  const deadline = clock.monotonic() + WAIT_MS_MAX;
  while (server.revision < wanted && clock.monotonic() < deadline)
    await clock.sleep(POLL_MS, undefined, { background: true });
}
