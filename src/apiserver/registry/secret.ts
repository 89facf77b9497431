// kubernetes:pkg/registry/core/secret/strategy.go, pkg/apis/core/{v1/conversion.go,validation/validation.go}
import { annotationOf } from '../../kube/annotations.ts';
import { type FieldError, forbidden, invalid, required, tooLong } from '../../kube/field-error.ts';
import { faultsOfConfigMapKey } from '../../kube/names.ts';
import { type Secret, Secrets } from '../../kube/resources/secret.ts';
import { base64Bytes, toBase64 } from './base64.ts';
import { DATA_BYTES_MAX, FROZEN } from './config-map.ts';
import { checkImmutable } from './field-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name';
/** Keys that a type of secret must have, all of them. */
const KEYS_OF_TYPE: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

export const secretStrategy: Strategy<Secret> = {
  resource: Secrets,
  hasGeneration: false,
  hasStatus: false,
  nameRule: 'subdomain',
  fieldSelectors: { type: ({ type }) => type ?? '' },
  applyDefaults: (secret) => withTextAsData({ ...secret, type: secret.type ?? 'Opaque' }),
  validate: checkSecret,
  validateUpdate: (secret, before) => [
    ...checkImmutable('type', secret.type, before.type),
    ...(before.immutable === true ? checkFrozen(secret, before) : []),
    ...checkSecret(secret),
  ],
};

/** `stringData` is for writers only: it becomes data and is never stored. */
function withTextAsData(secret: Secret): Secret {
  const { stringData, ...rest } = secret;
  if (stringData === undefined) return secret;
  const written = Object.fromEntries(Object.entries(stringData).map(([key, text]) => [key, toBase64(text)]));
  return { ...rest, data: { ...rest.data, ...written } };
}

function checkSecret(secret: Secret): Faults {
  const { data = {} } = secret;
  const bytes = Object.values(data).reduce((sum, text) => sum + base64Bytes(text), 0);
  return [
    ...Object.keys(data).flatMap((key) =>
      faultsOfConfigMapKey(key).map((fault) => invalid(`data[${key}]`, key, fault)),
    ),
    ...(bytes > DATA_BYTES_MAX ? [tooLong('data', DATA_BYTES_MAX)] : []),
    ...checkType(secret, data),
  ];
}

function checkType(secret: Secret, data: Readonly<Record<string, string>>): Faults {
  const { type = '' } = secret;
  if (type === 'kubernetes.io/service-account-token') {
    return (annotationOf(secret, SERVICE_ACCOUNT_NAME) ?? '') === ''
      ? [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)]
      : [];
  }
  if (type === 'kubernetes.io/basic-auth') {
    const keys = ['username', 'password'];
    return keys.some((key) => Object.hasOwn(data, key)) ? [] : keys.map((key) => required(`data[${key}]`));
  }
  return (KEYS_OF_TYPE[type] ?? [])
    .filter((key) => !Object.hasOwn(data, key) || (key === 'ssh-privatekey' && data[key] === ''))
    .map((key) => required(`data[${key}]`));
}

function checkFrozen(secret: Secret, before: Secret): Faults {
  return [
    ...(secret.immutable === true ? [] : [forbidden('immutable', FROZEN)]),
    ...(sameValue(secret.data ?? {}, before.data ?? {}) ? [] : [forbidden('data', FROZEN)]),
  ];
}
