// kubernetes:pkg/registry/core/namespace/strategy.go, pkg/apis/core/validation/validation.go
import { type FieldError, invalid } from '../../kube/field-error.ts';
import { type Namespace, Namespaces } from '../../kube/resources/namespace.ts';
import { checkQualifiedName } from './field-checks.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const NAME_LABEL = 'kubernetes.io/metadata.name';
const OWN_FINALIZER = 'kubernetes';
const STANDARD_FINALIZERS = [OWN_FINALIZER, 'orphan', 'foregroundDeletion'];

export const namespaceStrategy: Strategy<Namespace> = {
  resource: Namespaces,
  hasGeneration: false,
  hasStatus: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['object', 'update'] },
  nameRule: 'label',
  fieldSelectors: {
    'status.phase': ({ status }) => status.phase ?? '',
    name: ({ metadata }) => metadata.name,
  },
  applyDefaults: (namespace) =>
    withNameLabel({ ...namespace, status: { ...namespace.status, phase: namespace.status.phase ?? 'Active' } }),
  prepareForCreate: (namespace) =>
    withNameLabel({ ...namespace, spec: withOwnFinalizer(namespace.spec), status: { phase: 'Active' } }),
  prepareForUpdate: (namespace, before) => ({ ...namespace, spec: before.spec, status: before.status }),
  prepareForStatusUpdate: (namespace, before) => ({ ...namespace, spec: before.spec }),
  validate: (namespace) => checkFinalizers(namespace, () => 'spec.finalizers'),
  validateStatusUpdate: checkPhase,
  subresources: {
    finalize: {
      prepareForUpdate: (namespace, before) => ({ ...namespace, status: before.status }),
      validateUpdate: (namespace) => checkFinalizers(namespace, (index) => `spec.finalizers[${index}]`),
    },
  },
};

/** Selectors over namespaces can name one; a namespace that is still to be named by the server gets the label then. */
function withNameLabel(namespace: Namespace): Namespace {
  const { metadata } = namespace;
  if ((metadata.name ?? '') === '' || metadata.labels?.[NAME_LABEL] === metadata.name) return namespace;
  return { ...namespace, metadata: { ...metadata, labels: { ...metadata.labels, [NAME_LABEL]: metadata.name } } };
}

/** Without this finalizer a namespace would go before its content does. */
function withOwnFinalizer(spec: Namespace['spec']): Namespace['spec'] {
  const finalizers = spec.finalizers ?? [];
  return finalizers.includes(OWN_FINALIZER) ? spec : { ...spec, finalizers: [...finalizers, OWN_FINALIZER] };
}

function checkFinalizers(namespace: Namespace, pathOf: (index: number) => string): Faults {
  return (namespace.spec.finalizers ?? []).flatMap((name, index) => [
    ...checkQualifiedName(pathOf(index), name),
    ...(name.includes('/') || STANDARD_FINALIZERS.includes(name)
      ? []
      : [invalid(pathOf(index), name, 'name is neither a standard finalizer name nor is it fully qualified')]),
  ]);
}

function checkPhase(namespace: Namespace): Faults {
  const isGoing = namespace.metadata.deletionTimestamp !== undefined;
  const expected = isGoing ? 'Terminating' : 'Active';
  const { phase = '' } = namespace.status;
  if (phase === expected) return [];
  const detail = `may only be '${expected}' if \`deletionTimestamp\` is ${isGoing ? 'not empty' : 'empty'}`;
  return [invalid('status.Phase', phase, detail)];
}
