// Quotas are charged with the write that uses them up, before it is stored. Writes to the store are synchronous, so nothing
// comes between the judgement, the charge and the write. What a failed write has been charged, and what deletions free,
// the quota controller finds when it counts again, as upstream.
// kubernetes:staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota
import type { InstantMs } from '../../base/clock.ts';
import type { QuotaDecision, QuotaWrite } from '../../kube/quota-write.ts';
import { type ResourceQuota, ResourceQuotas } from '../../kube/resources/resource-quota.ts';
import type { AdmissionPlugin } from './admission.ts';
import { refusal } from './written-object.ts';

/** Where new uses of quotas are written down. */
export interface QuotaLedger {
  /** Stores the status of this quota as it is given; never called for a dry run. */
  charge(quota: ResourceQuota): void;
}

export interface QuotaSettings {
  readonly ledger: QuotaLedger;
  /** The rule that the quota controller counts by, too: `decideCharge` of the volume rules. */
  readonly decide: (write: QuotaWrite, quotas: readonly ResourceQuota[]) => QuotaDecision;
  readonly now: () => InstantMs;
}

export function resourceQuota({ ledger, decide, now }: QuotaSettings): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    review(request, reader) {
      const { resource, subresource, object, before, namespace } = request;
      if (object === undefined || namespace === undefined || namespace === '') return;
      const quotas = [...reader.all(ResourceQuotas, namespace)];
      if (quotas.length === 0) return;
      const decision = decide({ resource, subresource, object, before, now: now() }, quotas);
      if (decision.type === 'refuse') throw refusal(request, decision.message);
      if (!request.dryRun) decision.quotas.forEach((quota) => ledger.charge(quota));
    },
  };
}
