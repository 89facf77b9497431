// Admission of a server on its own: pods get the tokens of their accounts, and quotas are charged with the write that uses them.
import type { AdmissionPlugin } from '../apiserver/admission/admission.ts';
import { defaultAdmission } from '../apiserver/admission/plugins.ts';
import type { ApiServer } from '../apiserver/apiserver.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { keyOf } from '../kube/object.ts';
import { type ResourceQuota, ResourceQuotas } from '../kube/resources/resource-quota.ts';
import { decideCharge } from '../volume/quota-usage.ts';
import { SERVER_ITSELF } from '../apiserver/server-itself.ts';

export interface ServedAdmissionOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** The server that is being put together: asked when the first write comes. */
  readonly server: () => ApiServer;
}

export function servedAdmission({ clock, random, server }: ServedAdmissionOptions): readonly AdmissionPlugin[] {
  const charge = (quota: ResourceQuota): void => {
    const on = { resource: ResourceQuotas, key: keyOf(quota), subresource: 'status' };
    server().handle({ verb: 'update', ...on, object: quota }, SERVER_ITSELF);
  };
  return defaultAdmission({
    serviceAccount: { type: 'mounted', random: random.fork('service-account-volumes') },
    quota: { ledger: { charge }, decide: decideCharge, now: () => clock.now() },
  });
}
