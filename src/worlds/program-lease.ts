// By which Lease upstream's programs choose the one of them that works. Whoever uses the same one can stand beside a real
// program: only one of the two works at a time.
import { SECOND_MS } from '../base/clock.ts';
import type { ElectionTimes } from '../runtime/lease.ts';
import type { Placed } from './components.ts';

export interface ProgramLease {
  readonly name: string;
  readonly times: ElectionTimes;
  /** As who the Events about it are written, given the identity of the candidate. */
  readonly sourceOf: (identity: string) => string;
}

const PART_OF_MANAGER = 'mooring-controller-manager';

/** Where programs of the control plane keep their Leases. */
export const LEASE_NAMESPACE = 'kube-system';

/** kubernetes:staging/src/k8s.io/component-base/config/v1alpha1/defaults.go */
const PROGRAM_TIMES = {
  leaseDurationMs: 15 * SECOND_MS,
  renewDeadlineMs: 10 * SECOND_MS,
  retryPeriodMs: 2 * SECOND_MS,
};
/** csi-lib-utils:leaderelection/leader_election.go */
const SIDECAR_TIMES = { ...PROGRAM_TIMES, retryPeriodMs: 5 * SECOND_MS };

/**
 * Undefined for a kubelet, of which a node has one. A manager of ours that is a part of one (some of its controllers are left
 * to a real manager) has a Lease of its own, or only one of the two would ever work.
 */
export function leaseOf(
  { component, program }: Pick<Placed, 'component' | 'program'>,
  { isWholeManager }: { readonly isWholeManager: boolean },
): ProgramLease | undefined {
  const driver = component.name.slice(component.name.indexOf('/') + 1);
  switch (program) {
    case 'kube-controller-manager':
      return managerLease(isWholeManager ? program : PART_OF_MANAGER);
    case 'kube-scheduler':
      return { name: program, times: PROGRAM_TIMES, sourceOf: () => component.name };
    case 'csi-provisioner':
      return sidecarLease(driver);
    case 'csi-attacher':
      return sidecarLease(`external-attacher-leader-${driver}`);
    case 'csi-resizer':
      return sidecarLease(`external-resizer-${driver}`);
    default:
      return undefined;
  }
}

export const managerLease = (name: string): ProgramLease => ({
  name,
  times: PROGRAM_TIMES,
  sourceOf: () => 'kube-controller-manager',
});

function sidecarLease(lock: string): ProgramLease {
  const name = sanitized(lock);
  return { name, times: SIDECAR_TIMES, sourceOf: (identity) => `${lock}/${identity}` };
}

/** csi-lib-utils:leaderelection/leader_election.go sanitizeName */
function sanitized(name: string): string {
  const plain = name.replaceAll(/[^a-zA-Z0-9-]/gu, '-');
  return plain.endsWith('-') ? `${plain}X` : plain;
}
