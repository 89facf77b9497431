// kubernetes:pkg/registry/coordination/lease/strategy.go, pkg/apis/coordination/validation/validation.go
import { type FieldError, invalid } from '../../kube/field-error.ts';
import { type Lease, type LeaseSpec, Leases } from '../../kube/resources/lease.ts';
import { checkNonNegative } from './field-checks.ts';
import type { Strategy } from './strategy.ts';

export const leaseStrategy: Strategy<Lease> = {
  resource: Leases,
  hasGeneration: false,
  hasStatus: false,
  requiresResourceVersion: true,
  createsOnUpdate: true,
  nameRule: 'subdomain',
  applyDefaults: (lease) => lease,
  prepareForCreate: (lease) => ({ ...lease, spec: withoutElection(lease.spec, undefined) }),
  prepareForUpdate: (lease, before) => ({ ...lease, spec: withoutElection(lease.spec, before.spec) }),
  validate: checkLease,
};

/** The gate CoordinatedLeaderElection is off by default. */
function withoutElection(spec: LeaseSpec, before: LeaseSpec | undefined): LeaseSpec {
  const { strategy, preferredHolder, ...rest } = spec;
  return {
    ...rest,
    ...(strategy === undefined || before?.strategy === undefined ? {} : { strategy }),
    ...(preferredHolder === undefined || before?.preferredHolder === undefined ? {} : { preferredHolder }),
  };
}

function checkLease({ spec }: Lease): readonly FieldError[] {
  const { leaseDurationSeconds: seconds } = spec;
  return [
    ...(seconds === undefined || seconds > 0
      ? []
      : [invalid('spec.leaseDurationSeconds', seconds, 'must be greater than 0')]),
    ...checkNonNegative('spec.leaseTransitions', spec.leaseTransitions),
  ];
}
