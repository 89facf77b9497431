// Workloads that have no controller here: defaults and rules. kubernetes:pkg/apis/{apps,core}/{v1/defaults.go,validation},
// pkg/registry/apps/daemonset/strategy.go, pkg/registry/core/{replicationcontroller,podtemplate}/strategy.go
import { annotationOf, withAnnotation } from '../../kube/annotations.ts';
import { type FieldError, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { LabelSelector } from '../../kube/resources/meta.ts';
import type { PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { checkImmutable, checkNonNegative } from './field-checks.ts';
import { numberOf, optionalPart, partIn, partOf, textOf, withPart } from './json-parts.ts';
import { checkPodTemplate } from './pod-spec-checks.ts';
import { keepsGeneration, warnOfPodTemplate } from './pod-warnings.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';
import { templateIn, withTemplate } from './table-jobs.ts';
import {
  checkAtMostAll,
  checkCounts,
  checkEndless,
  checkIntOrPercent,
  checkTemplateLabels,
  intOrPercent,
  unfound,
  warnOfPodNames,
} from './workload-checks.ts';

type Faults = readonly FieldError[];

/** How often the template changed; the kind had a field for it once. kubernetes:pkg/apis/apps/v1/conversion.go */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (set) => {
    const filled = withPart(set, defaultDaemonSetSpec);
    return annotationOf(filled, TEMPLATE_GENERATION) === undefined ? withTemplateGeneration(filled, 0) : filled;
  },
  prepareForCreate: (set) => withTemplateGeneration(set, 1),
  prepareForUpdate: (set, before) => {
    const isSame = sameValue(partIn(set)['template'], partIn(before)['template']);
    const generation = Number(annotationOf(before, TEMPLATE_GENERATION) ?? 0);
    return withTemplateGeneration(set, isSame ? generation : generation + 1);
  },
  validate: (set) => checkDaemonSet(partIn(set)),
  validateUpdate: (set, before) => [
    ...checkImmutable('spec.selector', partIn(set)['selector'], partIn(before)['selector']),
    ...checkDaemonSet(partIn(set)),
  ],
  validateStatusUpdate: (set) => checkNumbers(partIn(set, 'status'), 'status'),
  warnings: (set, before) =>
    before !== undefined && annotationOf(before, TEMPLATE_GENERATION) === annotationOf(set, TEMPLATE_GENERATION)
      ? []
      : warnOfPodTemplate(templateIn(partIn(set)), 'spec.template'),
};

export const replicationControllerTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  orphansByDefault: {},
  applyDefaults: defaultReplicationController,
  validate: (controller) => checkController(partIn(controller)),
  validateStatusUpdate: (controller) => checkNumbers(partIn(controller, 'status'), 'status'),
  warnings: (controller, before) => [
    ...(before === undefined ? warnOfPodNames(controller.metadata.name) : []),
    // Upstream looks at the template that was there before.
    ...(keepsGeneration(controller, before)
      ? []
      : warnOfPodTemplate(templateIn(partIn(before ?? controller)), 'spec.template')),
  ],
  fieldSelectors: { 'status.replicas': (object) => String(numberOf(partIn(object, 'status')['replicas']) ?? 0) },
};

export const podTemplateTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  answersDeletedObject: true,
  applyDefaults: (template) => ({ ...template, ...withTemplate({ template: partIn(template, 'template') }) }),
  validate: (template) => checkPodTemplate(templateOf(template), 'template'),
  warnings: (template, before) =>
    keepsGeneration(template, before) ? [] : warnOfPodTemplate(templateOf(template), 'template'),
};

const templateOf = (object: KubeObject): PodTemplateSpec => templateIn({ template: partIn(object, 'template') });

function withTemplateGeneration(set: KubeObject, generation: number): KubeObject {
  return withAnnotation(set, TEMPLATE_GENERATION, String(generation));
}

function defaultDaemonSetSpec(spec: JsonObject): JsonObject {
  const strategy = partOf(spec['updateStrategy']);
  const type = strategy['type'] ?? 'RollingUpdate';
  const rolling = { maxUnavailable: 1, maxSurge: 0, ...partOf(strategy['rollingUpdate']) };
  return {
    revisionHistoryLimit: 10,
    ...withTemplate(spec),
    updateStrategy: type === 'RollingUpdate' ? { type, rollingUpdate: rolling } : strategy,
  };
}

/** Labels and selector are taken from the template where the controller has none. */
function defaultReplicationController(controller: KubeObject): KubeObject {
  const template = partOf(partIn(controller)['template']);
  const labels = optionalPart(partOf(template['metadata'])['labels']);
  const filled = withPart(controller, (spec) => ({
    replicas: 1,
    ...(labels === undefined ? {} : { selector: labels }),
    ...(spec['template'] === undefined ? spec : withTemplate(spec)),
  }));
  const isLabelled = Object.keys(controller.metadata.labels ?? {}).length > 0 || labels === undefined;
  return isLabelled
    ? filled
    : { ...filled, metadata: { ...filled.metadata, labels: labels as Readonly<Record<string, string>> } };
}

function checkDaemonSet(spec: JsonObject): Faults {
  const selector = optionalPart(spec['selector']) as LabelSelector | undefined;
  const template = templateIn(spec);
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const isEmpty = selector !== undefined && Object.keys(matchLabels).length + matchExpressions.length === 0;
  return [
    ...validateLabelSelector(selector, 'spec.selector'),
    ...checkTemplateLabels({ selector: selector ?? null, template }),
    ...(isEmpty ? [invalid('spec.selector', selector, 'empty selector is invalid for daemonset')] : []),
    ...checkPodTemplate(template, 'spec.template'),
    ...checkEndless(template, 'DaemonSet'),
    ...checkNonNegative('spec.minReadySeconds', numberOf(spec['minReadySeconds'])),
    ...checkRollout(partOf(spec['updateStrategy']), 'spec.updateStrategy'),
    ...checkNonNegative('spec.revisionHistoryLimit', numberOf(spec['revisionHistoryLimit'])),
  ];
}

function checkRollout(strategy: JsonObject, path: string): Faults {
  const type = textOf(strategy['type']);
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate')
    return [notSupported(path, { Type: type, RollingUpdate: null }, ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = partOf(strategy['rollingUpdate']);
  const at = `${path}.rollingUpdate`;
  const [unavailable, surge] = [amountOf(maxUnavailable), amountOf(maxSurge)];
  const [hasUnavailable, hasSurge] = [intOrPercent(unavailable) !== 0, intOrPercent(surge) !== 0];
  return [
    ...checkIntOrPercent(unavailable, `${at}.maxUnavailable`),
    ...checkIntOrPercent(surge, `${at}.maxSurge`),
    ...checkAtMostAll(unavailable, `${at}.maxUnavailable`),
    ...checkAtMostAll(surge, `${at}.maxSurge`),
    ...(hasUnavailable && hasSurge
      ? [invalid(`${at}.maxSurge`, surge, 'may not be set when maxUnavailable is non-zero')]
      : []),
    ...(hasUnavailable || hasSurge ? [] : [required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0')]),
  ];
}

const amountOf = (value: unknown): number | string =>
  typeof value === 'number' || typeof value === 'string' ? value : 0;

/** A selector of old is a set of labels, whatever they look like. */
const hasAll = (
  labels: Readonly<Record<string, string>> | undefined,
  selector: Readonly<Record<string, string>>,
): boolean => Object.entries(selector).every(([name, value]) => labels?.[name] === value);

function checkController(spec: JsonObject): Faults {
  const selector = partOf(spec['selector']) as Readonly<Record<string, string>>;
  const isEmpty = Object.keys(selector).length === 0;
  const hasTemplate = optionalPart(spec['template']) !== undefined;
  const template = templateIn(spec);
  return [
    ...checkNonNegative('spec.minReadySeconds', numberOf(spec['minReadySeconds'])),
    ...(isEmpty ? [required('spec.selector')] : []),
    ...checkNonNegative('spec.replicas', numberOf(spec['replicas'])),
    ...(hasTemplate ? [] : [required('spec.template')]),
    ...(hasTemplate && !isEmpty && !hasAll(template.metadata.labels, selector)
      ? [unfound(template.metadata.labels)]
      : []),
    ...(hasTemplate ? checkPodTemplate(template, 'spec.template') : []),
    ...(hasTemplate ? checkEndless(template, 'ReplicationController') : []),
  ];
}

function checkNumbers(status: JsonObject, path: string): Faults {
  const counts = Object.entries(status).map(([name, value]): [string, number | undefined] => [name, numberOf(value)]);
  return checkCounts(Object.fromEntries(counts), path);
}
