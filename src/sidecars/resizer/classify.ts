import type { CsiCode } from '../../csi/driver.ts';

/**
 * What a failed call says about the volume.
 * `uncertain`: the driver may still be at it. `infeasible`: never, with these arguments. `final`: it is not being done.
 * external-resizer:pkg/util/util.go
 */
export type Meaning = 'uncertain' | 'infeasible' | 'final';

export function classifyFailure(code: CsiCode): Meaning {
  switch (code) {
    case 'CANCELLED':
    case 'DEADLINE_EXCEEDED':
    case 'UNAVAILABLE':
    case 'RESOURCE_EXHAUSTED':
    case 'ABORTED':
      return 'uncertain';
    case 'INVALID_ARGUMENT':
    case 'OUT_OF_RANGE':
    case 'NOT_FOUND':
      return 'infeasible';
    default:
      return 'final';
  }
}
