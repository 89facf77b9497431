// Selection by labels: the text form of requests (`app=db,tier in (a,b),!canary`) and the object form of specs.
import { type FieldError, forbidden, invalid, required } from './field-error.ts';
import { goQuote } from './go-text.ts';
import {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  SelectorError,
  checkedRequirement,
  formatRequirement,
  matchesRequirement,
} from './label-requirement.ts';
import { parseRequirements } from './label-selector-parser.ts';
import { faultsOfLabelValue, faultsOfQualifiedName } from './names.ts';
import { validateLabels } from './object-meta-validation.ts';
import type { LabelSelector, LabelSelectorRequirement } from './resources/meta.ts';

const NO_LABELS: Labels = {};
const byKey = (left: LabelRequirement, right: LabelRequirement): number =>
  left.key < right.key ? -1 : left.key > right.key ? 1 : 0;

/** All requirements must hold. Without any, everything matches, unless the matcher is the one that matches nothing. */
export class LabelMatcher {
  /** In the order of their keys. */
  readonly requirements: readonly LabelRequirement[];
  readonly #matchesNothing: boolean;

  constructor(requirements: readonly LabelRequirement[], matchesNothing = false) {
    this.requirements = requirements.toSorted(byKey);
    this.#matchesNothing = matchesNothing;
  }

  matches(labels: Labels | undefined): boolean {
    if (this.#matchesNothing) return false;
    return this.requirements.every((requirement) => matchesRequirement(requirement, labels ?? NO_LABELS));
  }

  /** Nothing is left out by it. */
  get isEmpty(): boolean {
    return !this.#matchesNothing && this.requirements.length === 0;
  }

  toString(): string {
    return this.requirements.map(formatRequirement).join(',');
  }
}

/** Throws a SelectorError with upstream's sentence. The empty text selects everything. */
export const parseLabelSelector = (text: string): LabelMatcher => new LabelMatcher(parseRequirements(text));

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** An absent selector selects nothing, an empty one everything. */
export function labelMatcherOf(selector: LabelSelector | undefined): LabelMatcher {
  if (selector === undefined) return new LabelMatcher([], true);
  const equalities = Object.entries(selector.matchLabels ?? {}).map(([key, value]): LabelRequirement => {
    return checkedRequirement({ key, operator: '=', values: [value] });
  });
  return new LabelMatcher([...equalities, ...(selector.matchExpressions ?? []).map(requirementOf)]);
}

function requirementOf({ key, operator: name, values = [] }: LabelSelectorRequirement): LabelRequirement {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
  if (operator === undefined) throw new SelectorError(`${goQuote(name)} is not a valid label selector operator`);
  return checkedRequirement({ key, operator, values });
}

/** The faults of a selector in a spec. kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go */
export function validateLabelSelector(selector: LabelSelector | undefined, path: string): readonly FieldError[] {
  if (selector === undefined) return [];
  return [
    ...validateLabels(selector.matchLabels, `${path}.matchLabels`),
    ...(selector.matchExpressions ?? []).flatMap((requirement, index) =>
      validateRequirement(requirement, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

function validateRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: string,
): readonly FieldError[] {
  return [
    ...operatorErrors(operator, values, path),
    ...faultsOfQualifiedName(key).map((fault) => invalid(`${path}.key`, key, fault)),
    ...values.flatMap((value, index) =>
      faultsOfLabelValue(value).map((fault) => invalid(`${path}.values[${index}]`, value, fault)),
    ),
  ];
}

function operatorErrors(operator: string, values: readonly string[], path: string): readonly FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}
