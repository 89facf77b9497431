// Environment variables of a container. kubernetes:pkg/apis/core/validation/validation.go (ValidateEnv, ValidateEnvFrom)
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import { faultsOfConfigMapKey, faultsOfSubdomain } from '../../kube/names.ts';
import type { EnvFromSource, EnvVar, EnvVarSource } from '../../kube/resources/container.ts';
import { checkFieldRef, checkResourceFieldRef } from './downward-checks.ts';
import { checkLabel, checkRequired, checkSubdomain } from './field-checks.ts';
import { checkNoBacksteps } from './source-checks.ts';

type Faults = readonly FieldError[];

const VARIABLE_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
] as const;
const NAME_RULE = "a valid environment variable name must consist only of printable ASCII characters other than '='";

export function checkEnvironment(variables: readonly EnvVar[], path: string): Faults {
  return variables.flatMap((variable, index) => [
    ...(variable.name === ''
      ? [required(`${path}[${index}].name`)]
      : checkVariableName(`${path}[${index}].name`, variable.name)),
    ...checkValueFrom(variable, `${path}[${index}].valueFrom`),
  ]);
}

const checkVariableName = (path: string, name: string): Faults =>
  /^[ -<>-~]+$/.test(name) ? [] : [invalid(path, name, NAME_RULE)];

function checkValueFrom(variable: EnvVar, path: string): Faults {
  const source = variable.valueFrom;
  if (source === undefined) return [];
  const count = Object.keys(source).length;
  return [...checkSource(source, path), ...checkCount(count, variable.value ?? '', path)];
}

function checkCount(count: number, value: string, path: string): Faults {
  if (count === 0) {
    return [
      invalid(
        path,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    ];
  }
  if (value !== '') return [invalid(path, '', 'may not be specified when `value` is not empty')];
  return count > 1 ? [invalid(path, '', 'may not have more than one field specified at a time')] : [];
}

function checkSource(source: EnvVarSource, path: string): Faults {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  return [
    ...(fieldRef === undefined ? [] : checkFieldRef(fieldRef, `${path}.fieldRef`, VARIABLE_FIELDS)),
    ...(resourceFieldRef === undefined
      ? []
      : checkResourceFieldRef(resourceFieldRef, `${path}.resourceFieldRef`, false)),
    ...(configMapKeyRef === undefined ? [] : checkKeyRef(configMapKeyRef, `${path}.configMapKeyRef`)),
    ...(secretKeyRef === undefined ? [] : checkKeyRef(secretKeyRef, `${path}.secretKeyRef`)),
    ...(fileKeyRef === undefined ? [] : checkFileKeyRef(fileKeyRef, `${path}.fileKeyRef`)),
  ];
}

function checkKeyRef(ref: { readonly name?: string; readonly key: string }, path: string): Faults {
  const name = ref.name ?? '';
  return [
    ...faultsOfSubdomain(name).map((fault) => invalid(`${path}.name`, name, fault)),
    ...(ref.key === ''
      ? [required(`${path}.key`)]
      : faultsOfConfigMapKey(ref.key).map((fault) => invalid(`${path}.key`, ref.key, fault))),
  ];
}

const checkFileKeyRef = (ref: NonNullable<EnvVarSource['fileKeyRef']>, path: string): Faults => [
  ...(ref.key === '' ? [required(`${path}.key`)] : checkVariableName(`${path}.key`, ref.key)),
  ...(ref.volumeName === '' ? [required(`${path}.volumeName`)] : checkLabel(`${path}.volumeName`, ref.volumeName)),
  ...(ref.path === '' ? [required(`${path}.path`)] : checkNoBacksteps(`${path}.path`, ref.path)),
];

export function checkEnvironmentFrom(sources: readonly EnvFromSource[], path: string): Faults {
  return sources.flatMap((source, index) => {
    const { prefix = '', configMapRef, secretRef } = source;
    const at = `${path}[${index}]`;
    return [
      ...(prefix === '' ? [] : checkVariableName(`${at}.prefix`, prefix)),
      ...(configMapRef === undefined ? [] : checkName(configMapRef.name, `${at}.configMapRef.name`)),
      ...(secretRef === undefined ? [] : checkName(secretRef.name, `${at}.secretRef.name`)),
      ...(configMapRef === undefined && secretRef === undefined
        ? [invalid(path, '', 'must specify one of: `configMapRef` or `secretRef`')]
        : []),
      ...(configMapRef !== undefined && secretRef !== undefined
        ? [invalid(path, '', 'may not have more than one field specified at a time')]
        : []),
    ];
  });
}

const checkName = (name: string | undefined, path: string): Faults =>
  name === undefined || name === '' ? checkRequired(path, name) : checkSubdomain(path, name);
