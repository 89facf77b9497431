import type { InstantMs } from '../base/clock.ts';
import type { ApiReason } from '../kube/api-error.ts';
import type { ObjectKey, ResourceName } from '../kube/object.ts';
import type { Verb } from './authorization.ts';

/** One answered request. Reads are told too; what a sink keeps is its own policy. */
export interface AuditEntry {
  readonly at: InstantMs;
  readonly user: string;
  readonly verb: Verb;
  readonly resource: ResourceName;
  readonly key: ObjectKey;
  readonly subresource: string | undefined;
  readonly code: number;
  /** Of a refusal. */
  readonly reason: ApiReason | undefined;
  readonly dryRun: boolean;
}

export interface AuditSink {
  record(entry: AuditEntry): void;
}
