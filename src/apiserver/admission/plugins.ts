import type { AdmissionPlugin } from './admission.ts';

export interface AdmissionSettings {
  /** Pods get the namespace's `default` service account and its token volume. */
  readonly serviceAccounts?: boolean;
}

/** The plugins that are on by default, in upstream's order. kubernetes:pkg/kubeapiserver/options/plugins.go */
export function defaultAdmission(_settings: AdmissionSettings = {}): readonly AdmissionPlugin[] {
  return [];
}
