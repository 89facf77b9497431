import { SECOND_MS } from '../../base/clock.ts';
import { type Profile, profileOf } from './profile.ts';

/** By upstream's names; what is absent has upstream's default. kubernetes:pkg/scheduler/apis/config/v1/defaults.go */
export interface SchedulerSettings {
  /** Pods that ask for another scheduler are left alone. */
  readonly schedulerName?: string;
  readonly podInitialBackoffSeconds?: number;
  readonly podMaxBackoffSeconds?: number;
  /** How long PreBind waits for the volumes of a pod. */
  readonly bindTimeoutSeconds?: number;
  /** The Kubernetes version whose behaviour is played: `1.36`. */
  readonly profile?: string;
}

export interface ResolvedSettings {
  readonly schedulerName: string;
  readonly podInitialBackoffMs: number;
  readonly podMaxBackoffMs: number;
  readonly bindTimeoutMs: number;
  readonly profile: Profile;
}

export function resolveSettings(settings: SchedulerSettings): ResolvedSettings {
  return {
    schedulerName: settings.schedulerName ?? 'default-scheduler',
    podInitialBackoffMs: (settings.podInitialBackoffSeconds ?? 1) * SECOND_MS,
    podMaxBackoffMs: (settings.podMaxBackoffSeconds ?? 10) * SECOND_MS,
    bindTimeoutMs: (settings.bindTimeoutSeconds ?? 600) * SECOND_MS,
    profile: profileOf(settings.profile),
  };
}
