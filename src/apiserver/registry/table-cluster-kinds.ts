// Kinds of the whole cluster that are stored for others: what their fields are filled up with, and what none may lack.
// kubernetes:pkg/apis/{scheduling,node,flowcontrol,admissionregistration,resource}/{v1/defaults.go,validation}
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/object.ts';
import { checkImmutable, checkLabel } from './field-checks.ts';
import type { StoredObject } from './generic-call.ts';
import { mappedParts, numberOf, optionalPart, partIn, partOf, textOf, textsOf, withPart } from './json-parts.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const USER_PRIORITY_MAX = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'] as const;
const PRECEDENCE = 1000;

const fieldOf = (object: KubeObject, name: string): unknown => (object as StoredObject)[name];

export const priorityClassTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (priorityClass) => ({ preemptionPolicy: 'PreemptLowerPriority', ...priorityClass }),
  validate: checkPriorityClass,
  validateUpdate: (priorityClass, before) => [
    ...(fieldOf(priorityClass, 'value') === fieldOf(before, 'value')
      ? []
      : [forbidden('value', 'may not be changed in an update.')]),
    ...checkImmutable(
      'preemptionPolicy',
      fieldOf(priorityClass, 'preemptionPolicy'),
      fieldOf(before, 'preemptionPolicy'),
    ),
  ],
};

function checkPriorityClass(priorityClass: KubeObject): Faults {
  // A name may be missing still: that is told by the rules of all names.
  const name = textOf(priorityClass.metadata.name);
  const value = numberOf(fieldOf(priorityClass, 'value')) ?? 0;
  const policy = textOf(fieldOf(priorityClass, 'preemptionPolicy'));
  return [
    ...(name.startsWith(SYSTEM_PREFIX) ? checkSystemClass(name, value, priorityClass) : []),
    ...(!name.startsWith(SYSTEM_PREFIX) && value > USER_PRIORITY_MAX
      ? [forbidden('value', `maximum allowed value of a user defined priority is ${USER_PRIORITY_MAX}`)]
      : []),
    ...(PREEMPTION_POLICIES.some((each) => each === policy)
      ? []
      : [notSupported('preemptionPolicy', policy, PREEMPTION_POLICIES)]),
  ];
}

function checkSystemClass(name: string, value: number, priorityClass: KubeObject): Faults {
  const known = SYSTEM_PRIORITIES[name];
  const isDefault = fieldOf(priorityClass, 'globalDefault') === true;
  const why =
    known === undefined
      ? `${name} is not a known system priority class`
      : known !== value
        ? `value of ${name} PriorityClass must be ${known}`
        : isDefault
          ? `globalDefault of ${name} PriorityClass must be false`
          : undefined;
  if (why === undefined) return [];
  const reserved = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`;
  return [forbidden('metadata.name', reserved)];
}

export const runtimeClassTraits: Partial<Strategy> = {
  hasGeneration: false,
  createsOnUpdate: true,
  validate: (runtimeClass) => {
    const handler = textOf(fieldOf(runtimeClass, 'handler'));
    return handler === '' ? [required('handler')] : checkLabel('handler', handler);
  },
  validateUpdate: (runtimeClass, before) =>
    checkImmutable('handler', fieldOf(runtimeClass, 'handler'), fieldOf(before, 'handler')),
};

export const flowSchemaTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (schema) =>
    withPart(schema, (spec) => ({ ...spec, matchingPrecedence: spec['matchingPrecedence'] || PRECEDENCE })),
  validate: (schema) => {
    const level = partOf(partIn(schema)['priorityLevelConfiguration']);
    return textOf(level['name']) === ''
      ? [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')]
      : [];
  },
};

export const priorityLevelTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (level) =>
    withPart(level, (spec) => {
      const limited = optionalPart(spec['limited']);
      if (limited === undefined) return spec;
      const nominalConcurrencyShares = limited['nominalConcurrencyShares'] ?? 30;
      return { ...spec, limited: { lendablePercent: 0, ...limited, nominalConcurrencyShares } };
    }),
  validate: (level) => {
    const { type, limited } = partIn(level);
    if (textOf(type) === '') return [required('spec.type')];
    const response = partOf(partOf(limited)['limitResponse']);
    return type === 'Limited' && textOf(response['type']) === '' ? [required('spec.limited.limitResponse.type')] : [];
  },
};

export const policyBindingTraits: Partial<Strategy> = {
  validate: (binding) => {
    const { policyName, validationActions } = partIn(binding);
    return [
      ...(textOf(policyName) === '' ? [required('spec.policyName')] : []),
      ...(textsOf(validationActions).length === 0
        ? [required('spec.validationActions', 'at least one validation action is required')]
        : []),
    ];
  },
};

const DEVICES: Partial<Strategy> = { requiresResourceVersion: false, answersDeletedObject: true };

export const deviceClassTraits: Partial<Strategy> = DEVICES;

export const resourceClaimTraits: Partial<Strategy> = {
  ...DEVICES,
  hasGeneration: false,
  applyDefaults: (claim) => withPart(claim, defaultDevices),
};

export const resourceClaimTemplateTraits: Partial<Strategy> = {
  ...DEVICES,
  hasGeneration: false,
  applyDefaults: (template) => withPart(template, (spec) => ({ ...spec, spec: defaultDevices(partOf(spec['spec'])) })),
};

/** A request that does not say how many devices it wants means one. kubernetes:pkg/apis/resource/v1/defaults.go */
function defaultDevices(spec: JsonObject): JsonObject {
  const devices = optionalPart(spec['devices']);
  if (devices?.['requests'] === undefined) return spec;
  const counted = (request: JsonObject): JsonObject => {
    const mode = textOf(request['allocationMode']) || 'ExactCount';
    const count = mode === 'ExactCount' ? { count: numberOf(request['count']) || 1 } : {};
    return { ...request, allocationMode: mode, ...count };
  };
  const filled = (request: JsonObject): JsonObject => ({
    ...request,
    ...(request['exactly'] === undefined ? {} : { exactly: counted(partOf(request['exactly'])) }),
    ...(request['firstAvailable'] === undefined
      ? {}
      : { firstAvailable: mappedParts(request['firstAvailable'], counted) }),
  });
  return { ...spec, devices: { ...devices, requests: mappedParts(devices['requests'], filled) } };
}

export const resourceSliceTraits: Partial<Strategy> = {
  ...DEVICES,
  fieldSelectors: {
    'spec.driver': (slice) => textOf(partIn(slice)['driver']),
    'spec.nodeName': (slice) => textOf(partIn(slice)['nodeName']),
  },
  unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  validate: (slice) => {
    const spec = partIn(slice);
    const pool = partOf(spec['pool']);
    const count = numberOf(pool['resourceSliceCount']) ?? 0;
    const places = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];
    const detail = `exactly one of ${places.map((place) => `\`${place}\``).join(', ')} is required`;
    return [
      ...(textOf(spec['driver']) === '' ? [required('spec.driver')] : []),
      ...(textOf(pool['name']) === '' ? [required('spec.pool.name')] : []),
      ...(count > 0 ? [] : [invalid('spec.pool.resourceSliceCount', count, 'must be greater than zero')]),
      ...(places.some((place) => spec[place] !== undefined) ? [] : [required('spec', detail)]),
    ];
  },
};
