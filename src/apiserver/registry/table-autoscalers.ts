// Horizontal pod autoscalers: defaults, rules, and the older of their two versions.
// kubernetes:pkg/apis/autoscaling/{v2/defaults.go,v1/conversion.go,validation/validation.go}
import { assert } from '../../base/assert.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { shapeObject } from '../../kube/go-shape.ts';
import type { JsonObject } from '../../kube/json.ts';
import { faultsOfName } from '../../kube/names.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { builtInSchema } from '../../kube/schema-table-messages.ts';
import { genericStrategy } from './generic-strategy.ts';
import type { KindView } from './kind-view.ts';
import { numberOf, optionalPart, partIn, partOf, partsOf, textOf, withPart } from './json-parts.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const CPU_PERCENT = 80;
const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };
const WINDOW_SECONDS_MAX = 3600;
const PERIOD_SECONDS_MAX = 1800;
const SOURCES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'] as const;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'] as const;
const POLICY_TYPES = ['Percent', 'Pods'] as const;

const resourceOf = (version: string): Resource<KubeObject> => {
  const named = { group: 'autoscaling', version, kind: 'HorizontalPodAutoscaler' };
  const schema = builtInSchema(named);
  assert(schema !== undefined, `autoscalers have a version ${version}`);
  return { ...named, plural: 'horizontalpodautoscalers', namespaced: true, schema };
};

export const autoscalerStrategy: Strategy = genericStrategy(resourceOf('v2'), {
  requiresResourceVersion: false,
  hasGeneration: false,
  hasStatus: true,
  metadataChecks: { update: ['update'] },
  applyDefaults: (autoscaler) => withPart(autoscaler, defaultSpec),
  validate: (autoscaler) => checkSpec(partIn(autoscaler)),
  validateStatusUpdate: () => [],
});

function defaultSpec(spec: JsonObject): JsonObject {
  const behavior = optionalPart(spec['behavior']);
  const utilization = { type: 'Utilization', averageUtilization: CPU_PERCENT };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: utilization } }];
  return {
    minReplicas: 1,
    ...spec,
    ...(partsOf(spec['metrics']).length === 0 ? { metrics } : {}),
    ...(behavior === undefined
      ? {}
      : {
          behavior: {
            ...behavior,
            scaleUp: rulesOf(behavior['scaleUp'], SCALE_UP),
            scaleDown: rulesOf(behavior['scaleDown'], SCALE_DOWN),
          },
        }),
  };
}

const rulesOf = (given: unknown, preset: object): JsonObject => ({ ...preset, ...partOf(given) });

function checkSpec(spec: JsonObject): Faults {
  const least = numberOf(spec['minReplicas']);
  const most = numberOf(spec['maxReplicas']) ?? 0;
  const at = 'spec.maxReplicas';
  return [
    ...(least !== undefined && least < 1
      ? [invalid('spec.minReplicas', least, 'must be greater than or equal to 1')]
      : []),
    ...(most === 0 ? [required(at, 'must be set and greater than 0')] : []),
    ...(most < 0 ? [invalid(at, most, 'must be greater than or equal to 1')] : []),
    ...(least !== undefined && most < least
      ? [invalid(at, most, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...checkTarget(partOf(spec['scaleTargetRef']), 'spec.scaleTargetRef'),
    ...partsOf(spec['metrics']).flatMap((metric, index) => checkMetric(metric, `spec.metrics[${index}]`)),
    ...['scaleUp', 'scaleDown'].flatMap((name) => {
      const rules = optionalPart(partOf(spec['behavior'])[name]);
      return rules === undefined ? [] : checkRules(rules, `spec.behavior.${name}`);
    }),
  ];
}

function checkTarget(target: JsonObject, path: string): Faults {
  const words = ['kind', 'name'].flatMap((field): Faults => {
    const value = textOf(target[field]);
    if (value === '') return [required(`${path}.${field}`)];
    return faultsOfName('path-segment', value).map((fault) => invalid(`${path}.${field}`, value, fault));
  });
  const version = textOf(target['apiVersion']);
  const parts = version.split('/');
  if (parts.length > 2)
    return [...words, invalid(`${path}.apiVersion`, version, `unexpected GroupVersion string: ${version}`)];
  return parts.length === 2 && parts[0] !== ''
    ? words
    : [...words, invalid(`${path}.apiVersion`, version, 'apiVersion must specify API group')];
}

function checkMetric(metric: JsonObject, path: string): Faults {
  const type = textOf(metric['type']);
  const isKnown = SOURCES.some((each) => each === type);
  const own = `${type.slice(0, 1).toLowerCase()}${type.slice(1)}`;
  const source = optionalPart(metric[own]);
  const unsupported = notSupported(`${path}.type`, type, SOURCES);
  if (!isKnown)
    return [
      ...(type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : []),
      unsupported,
      unsupported,
    ];
  const others = SOURCES.map((each) => `${each.slice(0, 1).toLowerCase()}${each.slice(1)}`).filter(
    (name) => name !== own && metric[name] !== undefined,
  );
  return [
    ...(source === undefined ? [] : checkMetricTarget(partOf(source['target']), `${path}.${own}.target`)),
    ...(source === undefined
      ? [required(`${path}.${own}`, 'must populate information for the given metric source')]
      : []),
    ...others.map((name) => forbidden(`${path}.${name}`, 'must populate the given metric source only')),
  ];
}

function checkMetricTarget(target: JsonObject, path: string): Faults {
  const type = textOf(target['type']);
  const utilization = numberOf(target['averageUtilization']);
  const positive = ['value', 'averageValue'].flatMap((name): Faults => {
    const value = textOf(target[name]);
    const isPositive = value === '' || compareQuantities(value, '0') > 0;
    return isPositive ? [] : [invalid(`${path}.${name}`, value, 'must be positive')];
  });
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : []),
    ...(['Utilization', 'Value', 'AverageValue'].includes(type)
      ? []
      : [invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...positive,
    ...(utilization !== undefined && utilization < 1
      ? [invalid(`${path}.averageUtilization`, utilization, 'must be greater than 0')]
      : []),
  ];
}

function checkRules(rules: JsonObject, path: string): Faults {
  const window = numberOf(rules['stabilizationWindowSeconds']) ?? 0;
  const select = textOf(rules['selectPolicy']);
  const policies = partsOf(rules['policies']);
  const at = `${path}.stabilizationWindowSeconds`;
  return [
    ...(window < 0 ? [invalid(at, window, 'must be greater than or equal to zero')] : []),
    ...(window > WINDOW_SECONDS_MAX
      ? [invalid(at, window, `must be less than or equal to ${WINDOW_SECONDS_MAX}`)]
      : []),
    ...(SELECT_POLICIES.some((each) => each === select)
      ? []
      : [notSupported(`${path}.selectPolicy`, select, SELECT_POLICIES)]),
    ...(policies.length === 0 ? [required(`${path}.policies`, 'must specify at least one Policy')] : []),
    ...policies.flatMap((policy, index) => checkPolicy(policy, `${path}.policies[${index}]`)),
  ];
}

function checkPolicy(policy: JsonObject, path: string): Faults {
  const type = textOf(policy['type']);
  const seconds = numberOf(policy['periodSeconds']) ?? 0;
  const value = numberOf(policy['value']) ?? 0;
  return [
    ...(POLICY_TYPES.some((each) => each === type) ? [] : [notSupported(`${path}.type`, type, POLICY_TYPES)]),
    ...(value > 0 ? [] : [invalid(`${path}.value`, value, 'must be greater than zero')]),
    ...(seconds > 0 ? [] : [invalid(`${path}.periodSeconds`, seconds, 'must be greater than zero')]),
    ...(seconds > PERIOD_SECONDS_MAX
      ? [invalid(`${path}.periodSeconds`, seconds, `must be less than or equal to ${PERIOD_SECONDS_MAX}`)]
      : []),
  ];
}

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';
const CONDITIONS = 'autoscaling.alpha.kubernetes.io/conditions';
const CURRENT_METRICS = 'autoscaling.alpha.kubernetes.io/current-metrics';
const KEPT = [METRICS, BEHAVIOR, CONDITIONS, CURRENT_METRICS];

const AUTOSCALERS_V1 = resourceOf('v1');

/** Version 1 has one number for the processor; the rest of what version 2 can say stands in annotations. */
export const autoscalerView: KindView = {
  resource: AUTOSCALERS_V1,
  strategy: autoscalerStrategy,
  toStored: (object) => shapeObject(autoscalerStrategy.resource, toStored(object)),
  fromStored: (object) => shapeObject(AUTOSCALERS_V1, fromStored(object)),
};

const isCpu = (metric: JsonObject): boolean => {
  const resource = partOf(metric['resource']);
  const target = partOf(resource['target']);
  return metric['type'] === 'Resource' && resource['name'] === 'cpu' && target['averageUtilization'] !== undefined;
};

function toStored(object: KubeObject): KubeObject {
  const { annotations = {} } = object.metadata;
  const { targetCPUUtilizationPercentage: percent, ...spec } = partIn(object);
  const { currentCPUUtilizationPercentage: current, ...status } = partIn(object, 'status');
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: utilizationOf(percent) } };
  const metrics = [...(percent === undefined ? [] : [cpu]), ...partsOf(parsed(annotations[METRICS]))];
  const behavior = optionalPart(parsed(annotations[BEHAVIOR]));
  const conditions = parsed(annotations[CONDITIONS]);
  const measured = { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } };
  const currentMetrics = [
    ...(current === undefined ? [] : [measured]),
    ...partsOf(parsed(annotations[CURRENT_METRICS])),
  ];
  const rest = Object.fromEntries(Object.entries(annotations).filter(([name]) => !KEPT.includes(name)));
  const { annotations: _given, ...metadata } = object.metadata;
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(Object.keys(rest).length === 0 ? {} : { annotations: rest }) },
    spec: { ...spec, ...(metrics.length === 0 ? {} : { metrics }), ...(behavior === undefined ? {} : { behavior }) },
    status: {
      ...status,
      ...(conditions === undefined ? {} : { conditions }),
      ...(currentMetrics.length === 0 ? {} : { currentMetrics }),
    },
  } as KubeObject;
}

const utilizationOf = (percent: unknown): JsonObject => ({ type: 'Utilization', averageUtilization: percent });

function fromStored(object: KubeObject): KubeObject {
  const { metrics: all, behavior, ...spec } = partIn(object);
  const { currentMetrics: measured, conditions, ...status } = partIn(object, 'status');
  const metrics = partsOf(all);
  const cpu = metrics.findIndex(isCpu);
  const percent = partOf(partOf(partOf(metrics[cpu])['resource'])['target'])['averageUtilization'];
  const others = metrics.filter((_metric, index) => index !== cpu);
  const current = partsOf(measured);
  const cpuNow = partOf(partOf(current.find((each) => partOf(each['resource'])['name'] === 'cpu'))['resource']);
  const currentPercent = partOf(cpuNow['current'])['averageUtilization'];
  const annotations = {
    ...object.metadata.annotations,
    ...(others.length === 0 ? {} : { [METRICS]: JSON.stringify(others) }),
    ...(behavior === undefined ? {} : { [BEHAVIOR]: JSON.stringify(behavior) }),
    ...(conditions === undefined ? {} : { [CONDITIONS]: JSON.stringify(conditions) }),
    ...(current.length === 0 ? {} : { [CURRENT_METRICS]: JSON.stringify(current) }),
  };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: { ...object.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { ...spec, ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }) },
    status: {
      ...status,
      ...(currentPercent === undefined ? {} : { currentCPUUtilizationPercentage: currentPercent }),
    },
  } as KubeObject;
}

/** What a client wrote there is taken if it can be read. */
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
