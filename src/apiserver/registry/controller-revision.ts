// kubernetes:pkg/registry/apps/controllerrevision/strategy.go, pkg/apis/apps/validation/validation.go
import { type FieldError, required } from '../../kube/field-error.ts';
import { type ControllerRevision, ControllerRevisions } from '../../kube/resources/controller-revision.ts';
import { checkImmutable, checkNonNegative } from './field-checks.ts';
import type { Strategy } from './strategy.ts';

export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  resource: ControllerRevisions,
  hasGeneration: false,
  hasStatus: false,
  nameRule: 'subdomain',
  applyDefaults: (revision) => revision,
  validate: (revision) => [...checkNonNegative('revision', revision.revision), ...checkData(revision.data)],
  validateUpdate: (revision, before) => [
    ...checkNonNegative('revision', revision.revision),
    ...checkImmutable('data', revision.data, before.data),
  ],
};

function checkData(data: unknown): readonly FieldError[] {
  if (data === undefined || data === null) return [required('data', 'data is mandatory')];
  const isObject = typeof data === 'object' && !Array.isArray(data);
  return isObject ? [] : [required('data', 'data must be a valid JSON object')];
}
