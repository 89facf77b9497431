import type { AdmissionPlugin } from './admission.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { type TolerationSettings, defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { priority } from './priority.ts';
import { type QuotaSettings, resourceQuota } from './resource-quota.ts';
import { runtimeClass } from './runtime-class.ts';
import { type ServiceAccountSettings, serviceAccount } from './service-account.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

export interface AdmissionSettings extends TolerationSettings {
  /** `named` unless told otherwise; null leaves pods without an account. */
  readonly serviceAccount?: ServiceAccountSettings | null;
  /** Without it quotas are stored and not enforced. */
  readonly quota?: QuotaSettings;
}

/** The plugins that are on by default, in upstream's order. kubernetes:pkg/kubeapiserver/options/plugins.go */
export function defaultAdmission(settings: AdmissionSettings = {}): readonly AdmissionPlugin[] {
  const { serviceAccount: accounts = { type: 'named' }, quota } = settings;
  return [
    namespaceLifecycle,
    limitRanger,
    ...(accounts === null ? [] : [serviceAccount(accounts)]),
    taintNodesByCondition,
    priority,
    defaultTolerationSeconds(settings),
    defaultStorageClass,
    storageObjectInUseProtection,
    persistentVolumeClaimResize,
    runtimeClass,
    ...(quota === undefined ? [] : [resourceQuota(quota)]),
  ];
}
