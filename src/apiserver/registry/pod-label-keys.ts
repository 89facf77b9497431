// Keys of a pod's own labels that narrow the selectors of its affinity and spread: what they stand for is written into the
// selector when the pod is made. kubernetes:pkg/registry/core/pod/strategy.go (mutatePodAffinity,
// mutateTopologySpreadConstraints), pkg/apis/core/validation/validation.go (ValidateMatchLabelKeysAndMismatchLabelKeys)
import { type FieldError, forbidden, invalid } from '../../kube/field-error.ts';
import type { LabelSelector } from '../../kube/resources/meta.ts';
import type { Affinity, PodAffinity, PodSpec } from '../../kube/resources/pod-spec.ts';
import { checkQualifiedName } from './field-checks.ts';
import { mapKept } from './kept.ts';

type Faults = readonly FieldError[];
type Labels = Readonly<Record<string, string>>;

/** Of an affinity term or a spread constraint; only terms have keys that must differ. */
interface Keyed {
  readonly labelSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function withLabelKeys(spec: PodSpec, labels: Labels | undefined): PodSpec {
  const { affinity, topologySpreadConstraints: constraints } = spec;
  if (labels === undefined || (affinity === undefined && constraints === undefined)) return spec;
  return {
    ...spec,
    ...(affinity === undefined ? {} : { affinity: withNarrowed(affinity, labels) }),
    ...(constraints === undefined
      ? {}
      : { topologySpreadConstraints: mapKept(constraints, (constraint) => narrowed(constraint, labels)) }),
  };
}

function withNarrowed(affinity: Affinity, labels: Labels): Affinity {
  const { podAffinity, podAntiAffinity } = affinity;
  return {
    ...affinity,
    ...(podAffinity === undefined ? {} : { podAffinity: withNarrowedTerms(podAffinity, labels) }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity: withNarrowedTerms(podAntiAffinity, labels) }),
  };
}

function withNarrowedTerms(affinity: PodAffinity, labels: Labels): PodAffinity {
  const { [REQUIRED]: needed, [PREFERRED]: preferred } = affinity;
  return {
    ...affinity,
    ...(needed === undefined ? {} : { [REQUIRED]: mapKept(needed, (term) => narrowed(term, labels)) }),
    ...(preferred === undefined
      ? {}
      : {
          [PREFERRED]: preferred.map(({ weight, podAffinityTerm }) => ({
            weight,
            podAffinityTerm: narrowed(podAffinityTerm, labels),
          })),
        }),
  };
}

/** A term without a selector selects nothing, and a key that the pod has no label for says nothing. */
function narrowed<T extends Keyed>(term: T, labels: Labels): T {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const added = [...requirements(matchLabelKeys, 'In', labels), ...requirements(mismatchLabelKeys, 'NotIn', labels)];
  if (labelSelector === undefined || added.length === 0) return term;
  const matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  return { ...term, labelSelector: { ...labelSelector, matchExpressions } };
}

const requirements = (keys: readonly string[], operator: 'In' | 'NotIn', labels: Labels) =>
  keys.flatMap((key) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });

/** Of the term as it will be stored: what the keys stand for is in the selector of a pod already, but not of a template. */
export function checkLabelKeys(term: Keyed, path: string): Faults {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  return [
    ...checkKeys(matchLabelKeys, labelSelector, `${path}.matchLabelKeys`),
    ...checkKeys(mismatchLabelKeys, labelSelector, `${path}.mismatchLabelKeys`),
    ...(labelSelector === undefined ? [] : checkSelected(matchLabelKeys, labelSelector, path)),
    ...matchLabelKeys.flatMap((key, index) =>
      mismatchLabelKeys.includes(key)
        ? [invalid(`${path}.matchLabelKeys[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys')]
        : [],
    ),
  ];
}

function checkKeys(keys: readonly string[], selector: LabelSelector | undefined, path: string): Faults {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(path, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) => checkQualifiedName(`${path}[${index}]`, key));
}

/** A key that the selector has twice was selected by before. Upstream's path leaves out the name of the list. */
function checkSelected(keys: readonly string[], selector: LabelSelector, path: string): Faults {
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  return (selector.matchExpressions ?? []).flatMap(({ key }) => {
    const isRepeated = seen.has(key) && keys.includes(key);
    seen.add(key);
    return isRepeated
      ? [invalid(`${path}[${keys.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector')]
      : [];
  });
}
