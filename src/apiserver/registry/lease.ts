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
  metadataChecks: { update: ['update-unqualified'] },
  nameRule: 'subdomain',
  applyDefaults: (lease) => lease,
  renewed: renewedLease,
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

/** As it is stored; any other way to write a time is brought into this one. */
const STORED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;

/** A client in this process that sends back the lease it was given, with another time of renewal. */
function renewedLease(sent: object, before: Lease): Lease | undefined {
  const { apiVersion, kind, metadata, spec } = sent as Partial<Lease>;
  if (metadata !== before.metadata || kind !== before.kind || apiVersion !== before.apiVersion) return undefined;
  if (spec === undefined || Object.keys(sent).length !== Object.keys(before).length) return undefined;
  const { renewTime } = spec;
  if (renewTime === undefined || renewTime === before.spec.renewTime || !STORED_TIME.test(renewTime)) return undefined;
  return isSameBut('renewTime', spec, before.spec) ? { kind, apiVersion, metadata, spec } : undefined;
}

function isSameBut(name: keyof LeaseSpec, spec: LeaseSpec, before: LeaseSpec): boolean {
  const names = Object.keys(before) as (keyof LeaseSpec)[];
  return (
    before[name] !== undefined &&
    Object.keys(spec).length === names.length &&
    names.every((each) => each === name || spec[each] === before[each])
  );
}
