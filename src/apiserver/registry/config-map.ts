// kubernetes:pkg/registry/core/configmap/strategy.go, pkg/apis/core/validation/validation.go
import { type FieldError, forbidden, invalid, tooLong } from '../../kube/field-error.ts';
import { byteLength, faultsOfConfigMapKey } from '../../kube/names.ts';
import { type ConfigMap, ConfigMaps } from '../../kube/resources/config-map.ts';
import { base64Bytes } from './base64.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

/** kubernetes:pkg/apis/core/types.go (MaxSecretSize) */
export const DATA_BYTES_MAX = 1024 * 1024;
export const FROZEN = 'field is immutable when `immutable` is set';

export const configMapStrategy: Strategy<ConfigMap> = {
  resource: ConfigMaps,
  hasGeneration: false,
  hasStatus: false,
  nameRule: 'subdomain',
  applyDefaults: (map) => map,
  validate: checkMap,
  validateUpdate: (map, before) => [...(before.immutable === true ? checkFrozen(map, before) : []), ...checkMap(map)],
};

function checkMap({ data = {}, binaryData = {} }: ConfigMap): Faults {
  const bytes =
    Object.values(data).reduce((sum, text) => sum + byteLength(text), 0) +
    Object.values(binaryData).reduce((sum, text) => sum + base64Bytes(text), 0);
  return [
    ...Object.keys(data).flatMap((key) => [
      ...faultsOfConfigMapKey(key).map((fault) => invalid(`data[${key}]`, key, fault)),
      ...(Object.hasOwn(binaryData, key)
        ? [invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')]
        : []),
    ]),
    ...Object.keys(binaryData).flatMap((key) =>
      faultsOfConfigMapKey(key).map((fault) => invalid(`binaryData[${key}]`, key, fault)),
    ),
    ...(bytes > DATA_BYTES_MAX ? [tooLong('', DATA_BYTES_MAX)] : []),
  ];
}

function checkFrozen(map: ConfigMap, before: ConfigMap): Faults {
  return [
    ...(map.immutable === true ? [] : [forbidden('immutable', FROZEN)]),
    ...(sameValue(map.data ?? {}, before.data ?? {}) ? [] : [forbidden('data', FROZEN)]),
    ...(sameValue(map.binaryData ?? {}, before.binaryData ?? {}) ? [] : [forbidden('binaryData', FROZEN)]),
  ];
}
