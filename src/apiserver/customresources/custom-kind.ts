// One served version of a custom kind: everything the server needs to know of it, from its definition.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource
import { forbidden as forbiddenRequest } from '../../kube/api-error.ts';
import { type FieldError, invalid } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import { faultsOfQualifiedName } from '../../kube/names.ts';
import { type KubeObject, type Resource, apiVersionOf } from '../../kube/object.ts';
import type { CustomResourceDefinition, DefinitionVersion } from '../../kube/resources/custom-resource-definition.ts';
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import type { ResourceFacts, SubresourceFacts } from '../../kube/schema-table.ts';
import type { KindView } from '../registry/generic-view.ts';
import type { Strategy } from '../registry/strategy.ts';
import type { Printer } from '../tables/printer.ts';
import { applyTypeOfSchema } from './apply-type-of-schema.ts';
import type { Old } from './correlation.ts';
import { requireType, shapedObject, shownObject, withDefaults } from './custom-object.ts';
import { customPrinter } from './custom-printer.ts';
import { isTrue } from './definition-conditions.ts';
import { embeddedFaults } from './embedded-objects.ts';
import { parseJsonPath, valuesAt } from './json-path.ts';
import { propertyOf } from './json-schema.ts';
import { listTypeFaults } from './list-type-faults.ts';
import type { RuleEngine } from './rule-engine.ts';
import { compiledRules, ruleFaults } from './rule-faults.ts';
import { scaleFaults } from './scale-faults.ts';
import { schemaFaults } from './schema-faults.ts';
import { compareVersions } from './version-order.ts';

export interface CustomKind {
  readonly facts: ResourceFacts;
  readonly view: KindView;
  readonly schema: JsonSchema;
  readonly printer: Printer;
  readonly listKind: string;
  /** Its schema says enough to be shown to clients. */
  readonly isPublished: boolean;
}

type Faults = readonly FieldError[];

const ANYTHING: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const VERBS_WHILE_ENDING = ['delete', 'deletecollection', 'get', 'list', 'watch'];
const CHANGE = ['get', 'patch', 'update'];
/** Rules are not asked about a value of which these faults say that it is not even of its type. */
const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** All versions that are served of an established kind, the preferred one first. */
export function customKinds(
  definition: CustomResourceDefinition,
  engine: RuleEngine | undefined,
): readonly CustomKind[] {
  const { group, versions } = definition.spec;
  const all = versions ?? [];
  const storage = all.find((version) => version.storage) ?? all[0];
  if (storage === undefined) return [];
  const stored = resourceOf(definition, storage);
  const kinds = all
    .filter(({ served }) => served)
    .toSorted((left, right) => compareVersions(left.name, right.name))
    .map((version) => kindOf({ definition, version, stored, engine }));
  const views = kinds.map(({ view }) => view);
  return kinds.map((kind) => ({
    ...kind,
    view: { ...kind.view, siblings: views.filter((view) => view.resource !== kind.view.resource && group !== '') },
  }));
}

interface Making {
  readonly definition: CustomResourceDefinition;
  readonly version: DefinitionVersion;
  /** The version in which objects are stored. */
  readonly stored: Resource<KubeObject>;
  readonly engine: RuleEngine | undefined;
}

const schemaOf = ({ schema }: DefinitionVersion): JsonSchema => schema?.openAPIV3Schema ?? ANYTHING;

function resourceOf({ spec }: CustomResourceDefinition, version: DefinitionVersion): Resource<KubeObject> {
  const { plural, kind } = spec.names;
  const schema = schemaOf(version);
  return {
    group: spec.group,
    version: version.name,
    plural,
    kind,
    namespaced: spec.scope === 'Namespaced',
    shape: (value, options) => shapedObject(value, schema, options),
  };
}

function kindOf(making: Making): CustomKind {
  const { definition, version, stored } = making;
  const schema = schemaOf(version);
  const resource = stored.version === version.name ? stored : resourceOf(definition, version);
  return {
    facts: factsOf(definition, version),
    schema,
    printer: customPrinter(version.additionalPrinterColumns ?? []),
    listKind: definition.status.acceptedNames.listKind ?? `${resource.kind}List`,
    isPublished: version.schema?.openAPIV3Schema !== undefined,
    view: {
      resource,
      strategy: strategyOf(making, schema),
      toStored: (object) => inVersion(object, stored),
      fromStored: (object) => inVersion(shownObject(json(object), schema) as unknown as KubeObject, resource),
      requireType: (raw) => requireType(raw, resource),
      applyType: applyTypeOfSchema(schema),
    },
  };
}

/** A kind without a declaration is JSON. */
const json = (object: KubeObject): JsonObject => object as unknown as JsonObject;

function inVersion(object: KubeObject, resource: Resource<KubeObject>): KubeObject {
  const apiVersion = apiVersionOf(resource);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

function factsOf(definition: CustomResourceDefinition, version: DefinitionVersion): ResourceFacts {
  const { spec, status } = definition;
  const { plural, singular = '', kind, shortNames = [], categories = [] } = status.acceptedNames;
  const { subresources } = version;
  const below: SubresourceFacts[] = [];
  if (subresources?.status !== undefined) below.push({ name: 'status', kind, verbs: CHANGE });
  const of = { group: 'autoscaling', version: 'v1' };
  if (subresources?.scale !== undefined) below.push({ name: 'scale', kind: 'Scale', of, verbs: CHANGE });
  return {
    group: spec.group,
    version: version.name,
    plural,
    singular,
    kind,
    namespaced: spec.scope === 'Namespaced',
    verbs: isTrue(definition, 'Terminating') ? VERBS_WHILE_ENDING : VERBS,
    shortNames,
    categories,
    subresources: below,
    ...(version.deprecated === true ? { deprecation: deprecationOf(definition, version) } : {}),
  };
}

function deprecationOf({ spec }: CustomResourceDefinition, { name, deprecationWarning }: DefinitionVersion): string {
  if (deprecationWarning !== undefined) return deprecationWarning;
  const { group, names, versions } = spec;
  const says = `${group}/${name} ${names.kind} is deprecated`;
  const [better] = (versions ?? [])
    .filter((each) => each.served && each.deprecated !== true && compareVersions(each.name, name) < 0)
    .toSorted((left, right) => compareVersions(left.name, right.name));
  return better === undefined ? says : `${says}; use ${group}/${better.name} ${names.kind}`;
}

function strategyOf({ definition, version, stored, engine }: Making, schema: JsonSchema): Strategy {
  const { group, names } = definition.spec;
  const { scale, status } = version.subresources ?? {};
  const rules = compiledRules(schema, engine);
  const checked = (object: KubeObject, old: Old, faults: Faults): Faults => {
    if (rules === undefined) return faults;
    if (faults.some(({ type }) => BLOCKING.has(type))) return [...faults, invalid('<nil>', null, NOT_CHECKED)];
    return [...faults, ...ruleFaults(rules, object, old)];
  };
  const lists = (object: KubeObject, before: KubeObject | undefined): Faults =>
    before !== undefined && listTypeFaults(schema, before).length > 0 ? [] : listTypeFaults(schema, object);
  const judged = (object: KubeObject, before: KubeObject | undefined): Faults => {
    const old = before === undefined ? undefined : { value: before };
    const faults = [
      ...schemaFaults(schema, object, { old }),
      ...(scale === undefined ? [] : scaleFaults(scale, object, { isStatus: false })),
      ...embeddedFaults(object, schema),
      ...lists(object, before),
    ];
    return checked(object, old, faults);
  };
  return {
    resource: stored,
    hasGeneration: true,
    hasStatus: status !== undefined,
    requiresResourceVersion: true,
    comparesExactly: true,
    nameRule: 'subdomain',
    fieldSelectors: selectorsOf(version),
    ...(scale === undefined ? {} : { scale }),
    asRead: (object) => shownObject(json(object), schema) as unknown as KubeObject,
    applyDefaults: (object) => withDefaults(json(object), schema) as unknown as KubeObject,
    prepareForCreate: (object) => {
      if (!isTrue(definition, 'Terminating')) return object;
      const why = 'create not allowed while custom resource definition is terminating';
      throw forbiddenRequest({ group, plural: names.plural }, object.metadata.name, why);
    },
    prepareForStatusUpdate: (object, before) => ({ ...object, metadata: before.metadata }),
    validate: (object) => judged(object, undefined),
    validateUpdate: (object, before) => judged(object, before),
    validateStatusUpdate: (object, before) => {
      const faults = [
        ...statusFaults(schema, json(object), json(before)),
        ...(scale === undefined ? [] : scaleFaults(scale, object, { isStatus: true })),
        ...lists(object, before),
      ];
      return checked(object, { value: before }, faults);
    },
    warnings: (object, before) => finalizerWarnings(object, before),
  };
}

/** A status is judged by its own part of the schema. */
function statusFaults(schema: JsonSchema, object: JsonObject, before: JsonObject): Faults {
  const part = propertyOf(schema, 'status');
  if (part === undefined || !Object.hasOwn(object, 'status')) return [];
  const old = Object.hasOwn(before, 'status') ? { value: before['status'] } : undefined;
  return schemaFaults(part, object['status'], { path: 'status', old });
}

function selectorsOf({ selectableFields = [] }: DefinitionVersion): NonNullable<Strategy['fieldSelectors']> {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath) ?? [];
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => textOf(valuesAt(path, object)[0])];
    }),
  );
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes']);

/** Of finalizers that come with this write. */
function finalizerWarnings({ metadata }: KubeObject, before: KubeObject | undefined): readonly string[] {
  const known = new Set(before?.metadata.finalizers ?? []);
  const added = [...new Set(metadata.finalizers ?? [])].filter((name) => !known.has(name)).toSorted();
  return added.flatMap((name) => {
    const says = faultsOfQualifiedName(name).map((fault) => `metadata.finalizers: ${JSON.stringify(name)}: ${fault}`);
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return says;
    const path = name.includes('.') ? ' including a path (/)' : '';
    const advice = `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    return [...says, `metadata.finalizers: ${JSON.stringify(name)}: ${advice}`];
  });
}
