// What is wrong with one version of a definition.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
import { type FieldError, duplicate, forbidden, invalid, required, tooMany } from '../../kube/field-error.ts';
import { faultsOfName } from '../../kube/names.ts';
import type { ColumnDefinition, DefinitionVersion } from '../../kube/resources/custom-resource-definition.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import { defaultFaults } from './default-faults.ts';
import { fieldPath } from './field-path.ts';
import { isKnownFormat } from './formats.ts';
import { internalSchema } from './internal-form.ts';
import { schemasIn } from './json-schema.ts';
import type { RuleEngine } from './rule-engine.ts';
import { schemaDefinitionFaults } from './schema-definition-faults.ts';
import { structuralFaults } from './structural-faults.ts';

type Faults = readonly FieldError[];

const SELECTABLE_FIELDS_MAX = 8;
const WARNING_BYTES_MAX = 256;
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
/** Keywords that may stand at the root of a schema whose status is judged alone, in upstream's names for them. */
const ROOT_WORDS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];
const ROOT_KEYWORDS: ReadonlySet<string> = new Set([
  ...ROOT_WORDS.map((word) => word.charAt(0).toLowerCase() + word.slice(1)),
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
  // A fault of its own.
  'nullable',
]);

/** Which parts are the same in all versions. */
export interface SharedParts {
  readonly schema: boolean;
  readonly subresources: boolean;
  readonly columns: boolean;
  readonly selectableFields: boolean;
}

interface VersionContext {
  readonly shared: SharedParts;
  readonly engine: RuleEngine | undefined;
}

/** Of what this version does not share with all others. */
export function versionFaults(version: DefinitionVersion, index: number, { shared, engine }: VersionContext): Faults {
  const path = `spec.versions[${index}]`;
  const sentences = faultsOfName('service', version.name);
  const hasStatus = version.subresources?.status !== undefined;
  return [
    ...(sentences.length === 0 ? [] : [invalid(`${path}.name`, version.name, sentences.join(','))]),
    ...warningFaults(version, `${path}.deprecationWarning`),
    ...(shared.schema ? [] : schemaFaultsOf(version, { path: `${path}.schema`, hasStatus, engine })),
    ...(shared.subresources ? [] : subresourceFaults(version, `${path}.subresources`)),
    ...(shared.columns ? [] : columnFaults(version, `${path}.additionalPrinterColumns`)),
    ...(shared.selectableFields ? [] : selectableFaults(version, `${path}.selectableFields`)),
  ];
}

function warningFaults({ deprecated, deprecationWarning }: DefinitionVersion, path: string): Faults {
  if (deprecationWarning === undefined) return [];
  const refuse = (says: string): FieldError => invalid(path, deprecationWarning, says);
  if (deprecated !== true) return [refuse('can only be set for deprecated versions')];
  if (deprecationWarning === '') return [refuse('must not be an empty string')];
  const odd = deprecationWarning.search(/\p{C}/u);
  return [
    ...(deprecationWarning.length > WARNING_BYTES_MAX ? [refuse('must be <= 256 characters long')] : []),
    ...(odd < 0
      ? []
      : [refuse(`must only contain printable UTF-8 characters; non-printable character found at index ${odd}`)]),
  ];
}

interface SchemaContext {
  /** Of what holds the schema. */
  readonly path: string;
  readonly hasStatus: boolean;
  readonly engine: RuleEngine | undefined;
}

export function schemaFaultsOf({ schema }: DefinitionVersion, { path, hasStatus, engine }: SchemaContext): Faults {
  const root = schema?.openAPIV3Schema;
  if (root === undefined) return [];
  const at = `${path}.openAPIV3Schema`;
  const structural = structuralFaults(root, at);
  const defaults = structural.length > 0 ? [] : defaultFaults(root, at);
  return [
    ...(hasStatus ? rootFaults(root, at) : []),
    ...(root.nullable === true ? [forbidden(`${at}.nullable`, 'nullable cannot be true at the root')] : []),
    ...structural,
    ...defaults,
    ...schemaDefinitionFaults(root, {
      path: at,
      isRoot: true,
      isInsideMeta: false,
      noDefaultBecause: undefined,
      uncorrelatedSince: undefined,
      checksRules: structural.length === 0 && defaults.length === 0,
      engine,
    }),
  ];
}

function rootFaults(root: JsonSchema, path: string): Faults {
  if ((root.type ?? '') !== '' && root.type !== 'object') {
    const says = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(`${path}.type`, root.type, says)];
  }
  if (Object.keys(root).every((keyword) => ROOT_KEYWORDS.has(keyword))) return [];
  const says = `only [${ROOT_WORDS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, internalSchema(root), says)];
}

export function subresourceFaults({ subresources }: DefinitionVersion, path: string): Faults {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath = '' } = scale;
  const selector = `${path}.scale.labelSelectorPath`;
  return [
    ...replicasFaults(specReplicasPath, `${path}.scale.specReplicasPath`, '.spec.'),
    ...replicasFaults(statusReplicasPath, `${path}.scale.statusReplicasPath`, '.status.'),
    ...(labelSelectorPath === '' ? [] : simplePathFaults(labelSelectorPath, selector)),
    ...(labelSelectorPath.startsWith('.') && !/^\.(spec|status)\./.test(labelSelectorPath)
      ? [invalid(selector, labelSelectorPath, 'should be a json path under either .spec or .status')]
      : []),
  ];
}

function replicasFaults(value: string, path: string, below: string): Faults {
  if (value === '') return [required(path)];
  const faults = simplePathFaults(value, path);
  if (faults.length > 0 || value.startsWith(below)) return faults;
  return [invalid(path, value, `should be a json path under ${below.slice(0, -1)}`)];
}

const simplePathFaults = (value: string, path: string): Faults =>
  value.startsWith('.') ? [] : [invalid(path, value, 'must be a simple json path starting with .')];

export const columnFaults = ({ additionalPrinterColumns = [] }: DefinitionVersion, path: string): Faults =>
  additionalPrinterColumns.flatMap((column, index) => ofColumn(column, `${path}[${index}]`));

function ofColumn({ name, type, format = '', jsonPath }: ColumnDefinition, path: string): Faults {
  const oneOfTypes = `must be one of ${COLUMN_TYPES.join(',')}`;
  const faults: FieldError[] = [];
  if (name === '') faults.push(required(`${path}.name`));
  if (type === '') faults.push(required(`${path}.type`, oneOfTypes));
  else if (!COLUMN_TYPES.includes(type)) faults.push(invalid(`${path}.type`, type, oneOfTypes));
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    faults.push(invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  if (jsonPath === '') faults.push(required(`${path}.JSONPath`));
  else faults.push(...simplePathFaults(jsonPath, `${path}.JSONPath`));
  return faults;
}

export function selectableFaults({ selectableFields = [], schema }: DefinitionVersion, path: string): Faults {
  const root = schema?.openAPIV3Schema;
  if (selectableFields.length === 0 || root === undefined) return [];
  const seen = new Set<string>();
  const faults = selectableFields.flatMap(({ jsonPath }, index) => {
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') return [required(at)];
    const found = fieldPath(jsonPath, root, { allowsBrackets: false });
    if (found.type === 'fault') return [invalid(at, jsonPath, `is an invalid path: ${found.says}`)];
    const name = found.names.join('.');
    const isRepeated = seen.has(name);
    seen.add(name);
    return [
      ...(found.names[0] === 'metadata' ? [invalid(at, jsonPath, 'must not point to fields in metadata')] : []),
      ...(['string', 'boolean', 'integer'].includes(found.schema.type ?? '')
        ? []
        : [invalid(at, jsonPath, UNSELECTABLE)]),
      ...(isRepeated ? [duplicate(at, jsonPath)] : []),
    ];
  });
  return seen.size > SELECTABLE_FIELDS_MAX ? [...faults, tooMany(path, seen.size, SELECTABLE_FIELDS_MAX)] : faults;
}

const UNSELECTABLE =
  'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';

/** Formats that nothing checks; they are told, not refused. */
export function unknownFormats(versions: readonly DefinitionVersion[]): readonly string[] {
  const roots = versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  return roots.flatMap((root) =>
    [...schemasIn(root)].flatMap(({ type = '', format = '' }) =>
      format === '' || isKnownFormat(type, format) ? [] : [format],
    ),
  );
}
