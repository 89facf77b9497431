// What the kinds that keep pods running share. kubernetes:pkg/apis/apps/validation/validation.go
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { SelectorError } from '../../kube/label-requirement.ts';
import { labelMatcherOf, validateLabelSelector } from '../../kube/label-selector.ts';
import { faultsOfLabel } from '../../kube/names.ts';
import type { LabelSelector } from '../../kube/resources/meta.ts';
import type { PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { checkNonNegative, sorted } from './field-checks.ts';
import { checkPodTemplate } from './pod-spec-checks.ts';

type Faults = readonly FieldError[];

export interface Workload {
  readonly selector: LabelSelector | null;
  readonly template: PodTemplateSpec;
}

/** How a selector that cannot be read is refused: as a whole too, after its faults. StatefulSets say no more about it. */
const UNREAD: Readonly<Record<string, string>> = { deployment: 'invalid label selector', statefulset: '' };

/** `kind` as upstream writes it: an empty selector is "invalid for deployment" even for a ReplicaSet. */
export function checkSelector(selector: LabelSelector | null, kind: 'deployment' | 'statefulset'): Faults {
  if (selector === null) return [required('spec.selector')];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
  const faults = validateLabelSelector(selector, 'spec.selector');
  const unread = UNREAD[kind] ?? '';
  return [
    ...faults,
    ...(faults.length === 0 ? [] : [invalid('spec.selector', sorted(selector), unread)]),
    ...(isEmpty ? [invalid('spec.selector', selector, `empty selector is invalid for ${kind}`)] : []),
  ];
}

/** Pods made from a template must be found again by the selector. */
export function checkTemplateLabels({ selector, template }: Workload): Faults {
  const labels = template.metadata.labels;
  return matches(selector, labels ?? {}) ? [] : [unfound(labels)];
}

export const unfound = (labels: Readonly<Record<string, string>> | undefined): FieldError =>
  invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`');

/** A selector with a fault of its own is told about elsewhere. */
function matches(selector: LabelSelector | null, labels: Readonly<Record<string, string>>): boolean {
  try {
    return labelMatcherOf(selector ?? undefined).matches(labels);
  } catch (error) {
    if (error instanceof SelectorError) return true;
    throw error;
  }
}

export function checkRunningTemplate(workload: Workload): Faults {
  return [
    ...checkTemplateLabels(workload),
    ...checkPodTemplate(workload.template, 'spec.template'),
    ...checkEndless(workload.template, 'ReplicaSet'),
  ];
}

/** Pods that a controller keeps running must be willing to run for ever. */
export function checkEndless(template: PodTemplateSpec, kind: string): Faults {
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec;
  return [
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden('spec.template.spec.activeDeadlineSeconds', `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

type Counts = Readonly<Record<string, number | undefined>>;

export const checkCounts = (counts: Counts, path: string): Faults =>
  Object.entries(counts).flatMap(([name, count]) => checkNonNegative(`${path}.${name}`, count));

/** No part is larger than the whole. */
export function checkParts(counts: Counts, total: number | undefined, detail: string): Faults {
  return Object.entries(counts).flatMap(([name, count = 0]) =>
    count > (total ?? 0) ? [invalid(`status.${name}`, count, detail)] : [],
  );
}

const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

/** Percentages above 100 are told apart, so that a count of any size is fine. */
export function checkIntOrPercent(value: number | string, path: string): Faults {
  if (typeof value === 'number') return checkNonNegative(path, value);
  return /^[0-9]+%$/.test(value) ? [] : [invalid(path, value, PERCENT_RULE)];
}

export const checkAtMostAll = (value: number | string, path: string): Faults =>
  typeof value === 'string' && intOrPercent(value) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];

/** The number before the percent sign, or the number itself. */
export const intOrPercent = (value: number | string): number =>
  typeof value === 'number' ? value : Number.parseInt(value, 10) || 0;

export function warnOfPodNames(name: string): readonly string[] {
  const faults = faultsOfLabel(name);
  return faults.length === 0
    ? []
    : [
        `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
      ];
}
