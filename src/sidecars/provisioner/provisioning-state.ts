// What a failed attempt means for the next one. An attempt that may still be running in the driver must be repeated
// until it ends, even if the claim goes away: otherwise its volume would be lost without a PersistentVolume.
import { unreachable } from '../../base/assert.ts';
import type { CsiCode } from '../../csi/driver.ts';

/**
 * - `finished`: nothing is going on in the driver; retried while the claim exists.
 * - `in-background`: something may be; retried even without the claim.
 * - `no-change`: the driver was not asked, so the state before stands.
 * - `reschedule`: nothing is going on, and another node may do better.
 */
export type ProvisioningState = 'finished' | 'in-background' | 'no-change' | 'reschedule';

/** What CreateVolume's code says. external-provisioner:pkg/controller/controller.go (checkError) */
export type ProvisionMeaning = 'uncertain' | 'exhausted' | 'infeasible' | 'final';

export function classifyProvision(code: CsiCode): ProvisionMeaning {
  switch (code) {
    case 'CANCELLED':
    case 'DEADLINE_EXCEEDED':
    case 'UNAVAILABLE':
    case 'ABORTED':
      return 'uncertain';
    case 'RESOURCE_EXHAUSTED':
      return 'exhausted';
    case 'INVALID_ARGUMENT':
      return 'infeasible';
    default:
      return 'final';
  }
}

/** Another node only helps a driver with topology, and only a claim for which a node was chosen. */
export function stateAfter(meaning: ProvisionMeaning, mayReschedule: boolean): ProvisioningState {
  switch (meaning) {
    case 'uncertain':
      return 'in-background';
    case 'exhausted':
      return mayReschedule ? 'reschedule' : 'finished';
    case 'infeasible':
    case 'final':
      return 'finished';
    default:
      return unreachable(meaning);
  }
}
