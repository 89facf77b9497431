// What the type of an object says about a set of its paths.
import { type ApplyType, type MapApply } from './apply-type.ts';
import { type FieldSet, MEMBER, SELF, filterSteps, isEmptySet, withSelf } from './field-set.ts';

/** The type at the end of a step, as far as it is known, and whether the step is a field of a message. */
function stepInto(
  type: ApplyType | undefined,
  step: string,
): { readonly isNamed: boolean; readonly of: ApplyType | undefined } {
  if (type?.type === 'map' && step.startsWith('f:')) {
    const field = type.fields.get(step.slice(2));
    return { isNamed: field !== undefined, of: field?.of ?? type.others };
  }
  return { isNamed: false, of: type?.type === 'list' ? type.of : undefined };
}

/**
 * The same paths and, for each, the fields of messages on its way. Keys of maps and members of lists are not added.
 * structured-merge-diff:fieldpath/set.go (EnsureNamedFieldsAreMembers)
 */
export function withNamedParents(set: FieldSet, type: ApplyType | undefined): FieldSet {
  return filterSteps(set, (step, node) => {
    if (step === SELF || isEmptySet(node)) return node;
    const { isNamed, of } = stepInto(type, step);
    const below = withNamedParents(node, of);
    return isNamed ? withSelf(below) : below;
  });
}

/**
 * The set as it would have been had the type always been what it is now: paths below a value that is one become the value's.
 * structured-merge-diff:typed/reconcile_schema.go
 */
export const fittingFields = (set: FieldSet, type: MapApply): FieldSet => fitting(set, type);

function fitting(set: FieldSet, type: ApplyType): FieldSet {
  return filterSteps(set, (step, node) => {
    const { of } = stepInto(type, step);
    if (step === SELF || of === undefined || isEmptySet(node)) return node;
    if (isOneValue(of)) return MEMBER;
    return fitting(node, of);
  });
}

function isOneValue(type: ApplyType): boolean {
  switch (type.type) {
    case 'list':
      return type.relation === 'atomic';
    case 'map':
      return type.isAtomic;
    case 'any':
      return !type.isGranular;
    case 'scalar':
      return false;
  }
}
