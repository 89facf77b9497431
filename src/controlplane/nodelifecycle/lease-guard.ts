// From 1.37 on no node is called silent on the word of a cache that may be behind: its Lease is read from the server
// first. If the server has another revision, nobody is judged until the cache has caught up with it.
import { SETTLED } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { type Lease, Leases } from '../../kube/resources/lease.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { LeaseSign } from './node-health.ts';

/** kubernetes:staging/src/k8s.io/api/core/v1/types.go NamespaceNodeLease */
export const LEASE_NAMESPACE = 'kube-node-lease';

export class LeaseGuard {
  /** The newest revision of any Lease that the cache has shown. */
  #shown = 0n;
  /** The revision that the cache has to show before anybody is judged. */
  #wanted = 0n;

  constructor(leases: Informer<Lease>) {
    leases.subscribe(({ object }) => {
      const shown = BigInt(object.metadata.resourceVersion);
      if (shown > this.#shown) this.#shown = shown;
      return SETTLED;
    });
  }

  get isBehind(): boolean {
    return this.#shown < this.#wanted;
  }

  /** Whether the server, too, has no later Lease of this node than the one that was counted. */
  async confirms(node: string, counted: LeaseSign | undefined, cluster: Cluster): Promise<boolean> {
    const result = await attempt(() => cluster.get(Leases, `${LEASE_NAMESPACE}/${node}`));
    if (result.failed) return isApiError(result.error, 'NotFound');
    const { resourceVersion } = result.value.metadata;
    if (resourceVersion === counted?.resourceVersion) return true;
    this.#wanted = BigInt(resourceVersion);
    return false;
  }
}

export function leaseSign({ metadata, spec }: Lease): LeaseSign {
  return { renewTime: spec.renewTime, resourceVersion: metadata.resourceVersion };
}
