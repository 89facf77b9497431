// kubernetes:pkg/registry/storage/csistoragecapacity/strategy.go, pkg/apis/storage/validation/validation.go
import type { FieldError } from '../../kube/field-error.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import { CSIStorageCapacities, type CSIStorageCapacity } from '../../kube/resources/csi-storage-capacity.ts';
import { checkImmutable, checkNonNegativeQuantity, checkSubdomain } from './field-checks.ts';
import { deprecationOfNodeLabel } from './label-warnings.ts';
import type { Strategy } from './strategy.ts';

export const csiStorageCapacityStrategy: Strategy<CSIStorageCapacity> = {
  resource: CSIStorageCapacities,
  hasGeneration: false,
  hasStatus: false,
  requiresResourceVersion: true,
  metadataChecks: { update: ['object', 'update'] },
  nameRule: 'subdomain',
  applyDefaults: (capacity) => capacity,
  validate: checkCapacity,
  validateUpdate: (capacity, before) => [
    ...checkCapacity(capacity),
    ...checkImmutable('nodeTopology', capacity.nodeTopology, before.nodeTopology),
    ...checkImmutable('storageClassName', capacity.storageClassName, before.storageClassName),
  ],
  warnings: (capacity) => [
    ...(capacity.nodeTopology?.matchExpressions ?? []).flatMap(({ key }, index) => {
      const text = deprecationOfNodeLabel(key);
      return text === undefined ? [] : [`nodeTopology.matchExpressions[${index}].key: ${key} is ${text}`];
    }),
    ...Object.keys(capacity.nodeTopology?.matchLabels ?? {}).flatMap((key) => {
      const text = deprecationOfNodeLabel(key);
      return text === undefined ? [] : [`nodeTopology.matchLabels.${key}: ${text}`];
    }),
  ],
};

function checkCapacity(capacity: CSIStorageCapacity): readonly FieldError[] {
  return [
    ...validateLabelSelector(capacity.nodeTopology, 'nodeTopology'),
    ...checkSubdomain('storageClassName', capacity.storageClassName),
    ...(capacity.capacity === undefined ? [] : checkNonNegativeQuantity('capacity', capacity.capacity)),
  ];
}
