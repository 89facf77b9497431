// What the status of a definition says: whether its names are its own, whether it is served, whether it is ending.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/controller/{status,establish,finalizer,apiapproval}
import { goQuote } from '../../kube/go-text.ts';
import type {
  CustomResourceDefinition,
  DefinitionCondition,
  DefinitionNames,
  DefinitionStatus,
} from '../../kube/resources/custom-resource-definition.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import { approvalOf } from './api-approval.ts';

type Told = Pick<DefinitionCondition, 'type' | 'status' | 'reason' | 'message'>;

export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

export const TERMINATING = {
  pending: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  },
  inProgress: {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  },
  completed: {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
  },
  neverEstablished: {
    type: 'Terminating',
    status: 'False',
    reason: 'NeverEstablished',
    message: 'resource was never established',
  },
} as const satisfies Readonly<Record<string, Told>>;

const ESTABLISHED: Told = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_ACCEPTED: Told = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
const NO_CONFLICTS: Told = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};

const conditionOf = ({ conditions }: DefinitionStatus, type: string): DefinitionCondition | undefined =>
  conditions?.find((condition) => condition.type === type);

export const isTrue = ({ status }: CustomResourceDefinition, type: string): boolean =>
  conditionOf(status, type)?.status === 'True';

/** The time of a condition is that of its last change of status. `now` is RFC 3339. */
export function withCondition(status: DefinitionStatus, told: Told, now: string): DefinitionStatus {
  const conditions = status.conditions ?? [];
  const known = conditionOf(status, told.type);
  const lastTransitionTime = known?.status === told.status ? known.lastTransitionTime : now;
  const condition = { ...known, ...told, lastTransitionTime: lastTransitionTime ?? now };
  if (known === undefined) return { ...status, conditions: [...conditions, condition] };
  return { ...status, conditions: conditions.map((each) => (each === known ? condition : each)) };
}

/** The names that the other definitions of a group have been given. */
interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(others: readonly CustomResourceDefinition[]): TakenNames {
  const accepted = others.map(({ status }) => status.acceptedNames);
  return {
    resources: new Set(
      accepted.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]),
    ),
    kinds: new Set(accepted.flatMap(({ kind, listKind = '' }) => [kind, listKind])),
  };
}

/** The status after the names were looked at; the same where nothing changes. Others are all definitions of the group. */
export function decideStatus(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): DefinitionStatus {
  const { status } = definition;
  const named = sameValue(definition.spec.names, status.acceptedNames)
    ? status
    : withNames(definition, takenNames(others), now);
  const isAccepted = conditionOf(named, 'NamesAccepted')?.status === 'True';
  const isEstablished = conditionOf(named, 'Established')?.status === 'True';
  const settled = isAccepted && !isEstablished ? withCondition(named, ESTABLISHED, now) : named;
  const approval = approvalOf(definition);
  if (approval === undefined) return settled;
  const known = conditionOf(settled, approval.type);
  const isTold = known !== undefined && known.status === approval.status && known.message === approval.message;
  return isTold ? settled : withCondition(settled, approval, now);
}

function withNames(definition: CustomResourceDefinition, taken: TakenNames, now: string): DefinitionStatus {
  const { status } = definition;
  const { names, conflict } = acceptedNames(definition, taken);
  const naming = conflict ?? NO_CONFLICTS;
  const known = conditionOf(status, 'NamesAccepted');
  const isKnown = known !== undefined && known.reason === naming.reason && known.message === naming.message;
  if (isKnown && sameValue(names, status.acceptedNames)) return status;
  const accepted = withCondition({ ...status, acceptedNames: names }, naming, now);
  return conditionOf(status, 'Established') === undefined && conflict !== undefined
    ? withCondition(accepted, NOT_ACCEPTED, now)
    : accepted;
}

interface Accepted {
  readonly names: DefinitionNames;
  /** The last one found, as upstream tells it. */
  readonly conflict: Told | undefined;
}

/** Each name that is free is taken, whatever becomes of the others. */
function acceptedNames({ spec, status }: CustomResourceDefinition, taken: TakenNames): Accepted {
  const { plural, singular = '', shortNames = [], kind, listKind = '', categories } = spec.names;
  const had = status.acceptedNames;
  let names: DefinitionNames = had;
  let conflict: Told | undefined;
  const refuse = (reason: string, message: string): void => {
    conflict = { type: 'NamesAccepted', status: 'False', reason, message };
  };
  const isFree = (name: string, own: string, used: ReadonlySet<string>): boolean => name === own || !used.has(name);
  const inUse = (name: string): string => `${goQuote(name)} is already in use`;
  if (isFree(plural, had.plural, taken.resources)) names = { ...names, plural };
  else refuse('PluralConflict', inUse(plural));
  if (isFree(singular, had.singular ?? '', taken.resources)) names = { ...names, singular };
  else refuse('SingularConflict', inUse(singular));
  const own = new Set(had.shortNames ?? []);
  const used = shortNames.filter((name) => !own.has(name) && taken.resources.has(name));
  if (used.length === 0) names = { ...names, shortNames };
  else refuse('ShortNamesConflict', aggregate(used.map(inUse)));
  if (isFree(kind, had.kind, taken.kinds)) names = { ...names, kind };
  else refuse('KindConflict', inUse(kind));
  if (isFree(listKind, had.listKind ?? '', taken.kinds)) names = { ...names, listKind };
  else refuse('ListKindConflict', inUse(listKind));
  const { categories: _categories, ...rest } = names;
  return { names: categories === undefined ? rest : { ...rest, categories }, conflict };
}

const aggregate = (messages: readonly string[]): string =>
  messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
