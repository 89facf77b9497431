// kubernetes:pkg/registry/storage/volumeattributesclass/strategy.go, pkg/apis/storage/validation/validation.go
import { type FieldError, forbidden, required } from '../../kube/field-error.ts';
import { type VolumeAttributesClass, VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { checkParameters, checkProvisioner } from './provisioner-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

export const volumeAttributesClassStrategy: Strategy<VolumeAttributesClass> = {
  resource: VolumeAttributesClasses,
  hasGeneration: false,
  hasStatus: false,
  answersDeletedObject: true,
  nameRule: 'subdomain',
  applyDefaults: (attributesClass) => attributesClass,
  validate: checkClass,
  validateUpdate: (attributesClass, before) => [
    ...(attributesClass.driverName === before.driverName
      ? []
      : [forbidden('driverName', 'updates to driverName are forbidden.')]),
    ...(sameValue(attributesClass.parameters ?? {}, before.parameters ?? {})
      ? []
      : [forbidden('parameters', 'updates to parameters are forbidden.')]),
    ...checkClass(attributesClass),
  ],
};

function checkClass(attributesClass: VolumeAttributesClass): readonly FieldError[] {
  const isEmpty = Object.keys(attributesClass.parameters ?? {}).length === 0;
  return [
    ...checkProvisioner(attributesClass.driverName, 'driverName'),
    ...checkParameters(attributesClass.parameters, 'parameters'),
    ...(isEmpty ? [required('parameters', 'must contain at least one key/value pair')] : []),
  ];
}
