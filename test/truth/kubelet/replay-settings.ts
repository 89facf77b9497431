// What a replay must be told because a recording does not say it.
import type { ReplaySettings } from './replay.ts';

export interface CaseSettings extends ReplaySettings {
  readonly slackS?: number;
}

export const SETTINGS: Readonly<Record<string, CaseSettings>> = {
  // Failed tries that never reached the driver are not among the calls: what they add up to is not counted as retries.
  K13a: { slackS: 0.5 },
  'driver-dies-running': { slackS: 0.5 },
  'restart-driver-dead': { slackS: 0.5 },
  'other-reference': { slackS: 0.5 },
  // The sync of a pod that just came up was late enough to notice the new size.
  K17g: { startMs: 1800 },
  // Recorded from a kubelet with the gate on.
  K19b: { csiVolumeHealth: true },
  // The second pod was deleted right after it came up: the next look at its containers is in the recorded stop already.
  K22: { slackS: 0.4 },
  // One machine, one mount table: the staged volume of one node is a reference to that of the other.
  K39: { sharedMounts: true, slackS: 0.1 },
};
