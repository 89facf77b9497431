// Groups of the Kubernetes community want an approval for each kind that is defined in them.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apihelpers/helpers.go
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import type { CustomResourceDefinition, DefinitionCondition } from '../../kube/resources/custom-resource-definition.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';
const FIELD = `metadata.annotations[${ANNOTATION}]`;

type State = 'missing' | 'bypassed' | 'approved' | 'invalid';

const isProtected = (group: string): boolean => /(^|\.)(k8s|kubernetes)\.io$/.test(group);

const annotationOf = ({ metadata }: CustomResourceDefinition): string => metadata.annotations?.[ANNOTATION] ?? '';

function stateOf(annotation: string): State {
  if (annotation === '') return 'missing';
  if (annotation.startsWith('unapproved')) return 'bypassed';
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\s]+/.test(annotation) && URL.canParse(annotation) ? 'approved' : 'invalid';
}

function sentenceOf(state: State, annotation: string): string {
  switch (state) {
    case 'missing':
      return `protected groups must have approval annotation "${ANNOTATION}", ${SEE}`;
    case 'bypassed':
      return `not approved: ${JSON.stringify(annotation)}`;
    case 'approved':
      return `approved in ${annotation}`;
    case 'invalid':
      return `protected groups must have approval annotation "${ANNOTATION}" with either a URL or a reason starting with "unapproved", ${SEE}`;
  }
}

const REASONS: Readonly<Record<State, string>> = {
  missing: 'MissingAnnotation',
  bypassed: 'UnapprovedAnnotation',
  approved: 'ApprovedAnnotation',
  invalid: 'InvalidAnnotation',
};

/** The condition that tells of it; undefined for all other groups. */
export function approvalOf(
  definition: CustomResourceDefinition,
): Pick<DefinitionCondition, 'type' | 'status' | 'reason' | 'message'> | undefined {
  if (!isProtected(definition.spec.group)) return undefined;
  const annotation = annotationOf(definition);
  const state = stateOf(annotation);
  return {
    type: 'KubernetesAPIApprovalPolicyConformant',
    status: state === 'approved' ? 'True' : 'False',
    reason: REASONS[state],
    message: sentenceOf(state, annotation),
  };
}

/** A state that stays as it is, is never refused. */
export function approvalFaults(
  definition: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
): readonly FieldError[] {
  if (!isProtected(definition.spec.group)) return [];
  const annotation = annotationOf(definition);
  const state = stateOf(annotation);
  if (before !== undefined && stateOf(annotationOf(before)) === state) return [];
  if (state === 'missing') return [required(FIELD, sentenceOf(state, annotation))];
  return state === 'invalid' ? [invalid(FIELD, annotation, sentenceOf(state, annotation))] : [];
}
