// kubernetes:pkg/registry/storage/storageclass/strategy.go, pkg/apis/storage/validation/validation.go
import { type FieldError, required } from '../../kube/field-error.ts';
import { type StorageClass, StorageClasses } from '../../kube/resources/storage-class.ts';
import { checkImmutable, checkOneOf } from './field-checks.ts';
import { deprecationOfNodeLabel } from './label-warnings.ts';
import { checkParameters, checkProvisioner } from './provisioner-checks.ts';
import { checkTopologies } from './selector-checks.ts';
import type { Strategy } from './strategy.ts';

const RECLAIM_POLICIES = ['Delete', 'Retain'] as const;
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'] as const;

export const storageClassStrategy: Strategy<StorageClass> = {
  resource: StorageClasses,
  hasGeneration: false,
  hasStatus: false,
  answersDeletedObject: true,
  metadataChecks: { update: ['object', 'update'] },
  nameRule: 'subdomain',
  applyDefaults: (storageClass) => ({
    ...storageClass,
    reclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
    volumeBindingMode: storageClass.volumeBindingMode ?? 'Immediate',
  }),
  validate: checkClass,
  validateUpdate: (storageClass, before) => [
    ...checkClass(storageClass),
    ...checkImmutable('parameters', storageClass.parameters, before.parameters),
    ...checkImmutable('provisioner', storageClass.provisioner, before.provisioner),
    ...checkImmutable('reclaimPolicy', storageClass.reclaimPolicy, before.reclaimPolicy),
    ...checkImmutable('volumeBindingMode', storageClass.volumeBindingMode, before.volumeBindingMode),
  ],
  warnings: warningsOf,
};

function checkClass(storageClass: StorageClass): readonly FieldError[] {
  const { reclaimPolicy: policy = '', volumeBindingMode: mode } = storageClass;
  return [
    ...checkProvisioner(storageClass.provisioner, 'provisioner'),
    ...checkParameters(storageClass.parameters, 'parameters'),
    ...(policy === '' ? [] : checkOneOf('reclaimPolicy', policy, RECLAIM_POLICIES)),
    ...(mode === undefined ? [required('volumeBindingMode')] : checkOneOf('volumeBindingMode', mode, BINDING_MODES)),
    ...checkTopologies(storageClass.allowedTopologies ?? [], 'allowedTopologies'),
  ];
}

function warningsOf(storageClass: StorageClass): readonly string[] {
  return (storageClass.allowedTopologies ?? []).flatMap((term, termIndex) =>
    (term.matchLabelExpressions ?? []).flatMap(({ key }, index) => {
      const text = deprecationOfNodeLabel(key);
      return text === undefined ? [] : [`allowedTopologies[${termIndex}].matchLabelExpressions[${index}].key: ${text}`];
    }),
  );
}
