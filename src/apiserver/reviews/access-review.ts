// "May they do this?": SubjectAccessReview for anyone, LocalSubjectAccessReview for anyone in one namespace,
// SelfSubjectAccessReview for whoever asks. kubernetes:pkg/registry/authorization, pkg/apis/authorization/validation
import { invalid as invalidObject } from '../../kube/api-error.ts';
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { AnyAccess, Authorizer, User } from '../authorization.ts';
import { type PostedKind, builtInKind } from '../posted-kind.ts';

export const AUTHORIZATION_GROUP = 'authorization.k8s.io';

interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}
interface ResourceAttributes {
  readonly verb?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
}
interface ReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
interface AccessReview extends KubeObject {
  readonly spec: ReviewSpec;
}

const kind = (plural: string, name: string, namespaced: boolean): Resource<KubeObject> => {
  const resource = { group: AUTHORIZATION_GROUP, version: 'v1', plural, kind: name, namespaced };
  return builtInKind(resource);
};

export function accessReviews(authorizer: Authorizer): readonly PostedKind[] {
  return [
    {
      resource: kind('subjectaccessreviews', 'SubjectAccessReview', false),
      answer: ({ object }) => {
        const review = object as AccessReview;
        refuse([
          ...specFaults(review.spec),
          ...subjectFaults(review.spec),
          ...selectorFaults(review.spec),
          ...metadataFaults(review),
        ]);
        return reviewed(authorizer, review, subjectOf(review.spec));
      },
    },
    {
      resource: kind('localsubjectaccessreviews', 'LocalSubjectAccessReview', true),
      answer: ({ object }) => {
        const review = object as AccessReview;
        refuse([
          ...specFaults(review.spec),
          ...subjectFaults(review.spec),
          ...selectorFaults(review.spec),
          ...localFaults(review),
        ]);
        return reviewed(authorizer, review, subjectOf(review.spec));
      },
    },
    {
      resource: kind('selfsubjectaccessreviews', 'SelfSubjectAccessReview', false),
      answer: ({ object }, { user }) => {
        const review = object as AccessReview;
        refuse([...specFaults(review.spec), ...selectorFaults(review.spec), ...metadataFaults(review)]);
        return reviewed(authorizer, review, user);
      },
    },
  ];
}

function reviewed(authorizer: Authorizer, review: AccessReview, user: User): KubeObject {
  const { allowed, because = '' } = authorizer.decide(user, accessIn(review.spec));
  const status = { allowed, ...(because === '' ? {} : { reason: because }) };
  return { ...review, status } as KubeObject;
}

const subjectOf = ({ user = '', groups = [], uid, extra }: ReviewSpec): User => ({
  name: user,
  groups,
  ...(uid === undefined ? {} : { uid }),
  ...(extra === undefined ? {} : { extra }),
});

function accessIn({ resourceAttributes, nonResourceAttributes = {} }: ReviewSpec): AnyAccess {
  if (resourceAttributes === undefined) {
    const { path = '', verb = '' } = nonResourceAttributes;
    return { path, verb };
  }
  const { verb = '', group = '', resource = '', subresource, namespace, name = '', fieldSelector } = resourceAttributes;
  const selector = fieldSelector === undefined ? '' : selectorText(fieldSelector);
  return {
    verb,
    resource: { group, plural: resource },
    subresource,
    namespace,
    name,
    ...(selector === '' ? {} : { fieldSelector: selector }),
  };
}

/** Requirements that a selector of fields can have, as its text. */
function selectorText({ rawSelector = '', requirements = [] }: SelectorAttributes): string {
  const told = requirements.flatMap(({ key, operator, values = [] }) => {
    const sign = operator === 'In' ? '=' : operator === 'NotIn' ? '!=' : undefined;
    return sign === undefined || values.length !== 1 ? [] : [`${key}${sign}${values.join('')}`];
  });
  return rawSelector === '' ? told.join(',') : rawSelector;
}

function refuse(faults: readonly FieldError[]): void {
  // The kind is not told: upstream asks an object for it that has lost it by then.
  if (faults.length > 0) throw invalidObject({ group: AUTHORIZATION_GROUP, kind: '' }, '', faults);
}

function specFaults({ resourceAttributes, nonResourceAttributes }: ReviewSpec): readonly FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined)
    return [
      invalid(
        'spec.nonResourceAttributes',
        shown(nonResourceAttributes),
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalid('spec.resourceAttributes', undefined, why)];
}

/** As Go prints it, which knows its fields by other names. */
const shown = ({ path = '', verb = '' }: NonNullable<ReviewSpec['nonResourceAttributes']>): object => ({
  Path: path,
  Verb: verb,
});

function subjectFaults({ user = '', groups = [] }: ReviewSpec): readonly FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [invalid('spec.user', user, 'at least one of user or group must be specified')];
}

function selectorFaults({ resourceAttributes = {} }: ReviewSpec): readonly FieldError[] {
  const path = 'spec.resourceAttributes';
  return (['fieldSelector', 'labelSelector'] as const).flatMap((name) => {
    const selector = resourceAttributes[name];
    if (selector === undefined) return [];
    const [raw, count] = [selector.rawSelector ?? '', selector.requirements?.length ?? 0];
    if (raw !== '' && count > 0)
      return [invalid(`${path}.${name}.rawSelector`, raw, 'may not specified at the same time as requirements')];
    if (raw !== '' || count > 0) return [];
    const why = `when ${path}.${name} is specified, requirements or rawSelector is required`;
    return [required(`${path}.${name}.requirements`, why)];
  });
}

function metadataFaults({ metadata }: KubeObject): readonly FieldError[] {
  const { managedFields: _, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? [] : [invalid('metadata', metadata, 'must be empty')];
}

function localFaults({ metadata, spec }: AccessReview): readonly FieldError[] {
  const { managedFields: _, namespace, ...rest } = metadata;
  const { resourceAttributes, nonResourceAttributes } = spec;
  const given = resourceAttributes?.namespace ?? '';
  return [
    ...(Object.keys(rest).length === 0 ? [] : [invalid('metadata', metadata, 'must be empty except for namespace')]),
    ...(resourceAttributes === undefined || given === namespace
      ? []
      : [invalid('spec.resourceAttributes.namespace', given, 'must match metadata.namespace')]),
    ...(nonResourceAttributes === undefined
      ? []
      : [invalid('spec.nonResourceAttributes', shown(nonResourceAttributes), 'disallowed on this kind of request')]),
  ];
}
