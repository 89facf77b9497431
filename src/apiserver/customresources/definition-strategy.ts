// The rules of CustomResourceDefinitions themselves.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition
import { timestamp } from '../../base/clock.ts';
import {
  type CustomResourceDefinition,
  CustomResourceDefinitions,
  type DefinitionSpec,
  type DefinitionVersion,
} from '../../kube/resources/custom-resource-definition.ts';
import type { Strategy } from '../registry/strategy.ts';
import { CLEANUP_FINALIZER, TERMINATING, withCondition } from './definition-conditions.ts';
import { definitionFaults, definitionStatusFaults } from './definition-faults.ts';
import { normalSchema } from './json-schema.ts';
import type { RuleEngine } from './rule-engine.ts';
import { unknownFormats } from './version-faults.ts';

export function definitionStrategy(engine: RuleEngine | undefined): Strategy<CustomResourceDefinition> {
  return {
    resource: CustomResourceDefinitions,
    hasGeneration: true,
    hasStatus: true,
    requiresResourceVersion: true,
    comparesExactly: true,
    metadataChecks: { update: ['update-unqualified'], status: ['update-unqualified'] },
    nameRule: 'subdomain',
    applyDefaults: (definition) => withStoredVersion({ ...definition, spec: withDefaults(definition.spec) }),
    prepareForCreate: (definition) => withStoredVersion(definition),
    prepareForUpdate: (definition) => withStoredVersion(definition),
    validate: (definition) => definitionFaults(definition, undefined, engine),
    validateUpdate: (definition, before) => definitionFaults(definition, before, engine),
    validateStatusUpdate: definitionStatusFaults,
    warnings: (definition, before) => {
      const known = new Set(before === undefined ? [] : unknownFormats(before.spec.versions ?? []));
      return unknownFormats(definition.spec.versions ?? [])
        .filter((format) => !known.has(format))
        .map((format) => `unrecognized format ${JSON.stringify(format)}`);
    },
    beginDeletion: (definition, { now }) => beginDeletion(definition, timestamp(now)),
  };
}

/** kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go */
function withDefaults(spec: DefinitionSpec): DefinitionSpec {
  const { names, versions } = spec;
  const { kind, singular = '', listKind = '' } = names;
  return {
    ...spec,
    names: {
      ...names,
      ...(singular === '' ? { singular: kind.toLowerCase() } : {}),
      ...(listKind === '' && kind !== '' ? { listKind: `${kind}List` } : {}),
    },
    versions: versions?.map(withNormalSchema) ?? null,
    conversion: spec.conversion ?? { strategy: 'None' },
  };
}

function withNormalSchema(version: DefinitionVersion): DefinitionVersion {
  const root = version.schema?.openAPIV3Schema;
  return root === undefined ? version : { ...version, schema: { openAPIV3Schema: normalSchema(root) } };
}

/** Every version that objects were ever stored in stays known. */
function withStoredVersion(definition: CustomResourceDefinition): CustomResourceDefinition {
  const storage = definition.spec.versions?.find((version) => version.storage);
  const stored = definition.status.storedVersions ?? [];
  if (storage === undefined || stored.includes(storage.name)) return definition;
  return { ...definition, status: { ...definition.status, storedVersions: [...stored, storage.name] } };
}

/** The first DELETE only marks: the objects of the kind go before it does. */
function beginDeletion(definition: CustomResourceDefinition, now: string): CustomResourceDefinition | undefined {
  const { metadata, status } = definition;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  const finalizers = metadata.finalizers ?? [];
  return {
    ...definition,
    metadata: {
      ...metadata,
      deletionTimestamp: now,
      finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
    },
    status: withCondition(status, TERMINATING.pending, now),
  };
}
