// What a quota is asked about, and what it answers: the words between the server, which charges writes, and the rule that counts.
import type { InstantMs } from '../base/clock.ts';
import type { KubeObject, ResourceName } from './object.ts';
import type { ResourceQuota } from './resources/resource-quota.ts';

/** A write that is about to be stored. */
export interface QuotaWrite {
  readonly resource: ResourceName;
  readonly subresource: string | undefined;
  readonly object: KubeObject;
  /** undefined at creation. */
  readonly before: KubeObject | undefined;
  readonly now: InstantMs;
}

export type QuotaDecision =
  | { readonly type: 'refuse'; readonly message: string }
  /** The quotas whose use changes, with their new status. */
  | { readonly type: 'charge'; readonly quotas: readonly ResourceQuota[] };
