// What is wrong with a definition. What is equal in all versions upstream keeps, and blames, at the top of the spec; so a
// definition with one version has the faults of its schema at `spec.validation`.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import { faultsOfName, faultsOfSubdomain } from '../../kube/names.ts';
import type {
  CustomResourceDefinition,
  DefinitionNames,
  DefinitionSpec,
  DefinitionVersion,
} from '../../kube/resources/custom-resource-definition.ts';
import { sameJson } from '../registry/semantic-equal.ts';
import { approvalFaults } from './api-approval.ts';
import { isTrue } from './definition-conditions.ts';
import { internalVersions } from './internal-form.ts';
import type { RuleEngine } from './rule-engine.ts';
import {
  type SharedParts,
  columnFaults,
  schemaFaultsOf,
  selectableFaults,
  subresourceFaults,
  versionFaults,
} from './version-faults.ts';

type Faults = readonly FieldError[];

export function definitionFaults(
  definition: CustomResourceDefinition,
  before: CustomResourceDefinition | undefined,
  engine: RuleEngine | undefined,
): Faults {
  const { spec, status, metadata } = definition;
  const wanted = `${spec.names.plural}.${spec.group}`;
  const misnamed = 'must be spec.names.plural+"."+spec.group';
  return [
    ...(before === undefined && metadata.name !== wanted ? [invalid('metadata.name', metadata.name, misnamed)] : []),
    ...specFaults(spec, engine),
    ...(before === undefined ? [] : changeFaults(spec, before)),
    ...nameFaults(status.acceptedNames, 'status.acceptedNames'),
    ...storedVersionFaults(definition),
    ...approvalFaults(definition, before),
    ...(spec.preserveUnknownFields === true && before?.spec.preserveUnknownFields !== true
      ? [invalid('spec.preserveUnknownFields', true, NO_PRESERVING)]
      : []),
  ];
}

const NO_PRESERVING =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

/** A write to the status. */
export const definitionStatusFaults = ({ status }: CustomResourceDefinition): Faults =>
  nameFaults(status.acceptedNames, 'status.acceptedNames');

function specFaults(spec: DefinitionSpec, engine: RuleEngine | undefined): Faults {
  const versions = spec.versions ?? [];
  const shared = sharedParts(versions);
  return [
    ...groupFaults(spec.group),
    ...oneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']),
    ...versions.flatMap((version, index) =>
      version.schema?.openAPIV3Schema === undefined ? [required(`spec.versions[${index}].schema.openAPIV3Schema`)] : [],
    ),
    ...versions.flatMap((version, index) => versionFaults(version, index, { shared, engine })),
    ...versionListFaults(versions),
    ...requiredNames(spec.names),
    ...nameFaults(spec.names, 'spec.names'),
    ...sharedFaults(versions, shared, engine),
    ...conversionFaults(spec),
  ];
}

function sharedParts(versions: readonly DefinitionVersion[]): SharedParts {
  const [first] = versions;
  const same = (part: (version: DefinitionVersion) => unknown): boolean =>
    first !== undefined && versions.every((version) => sameJson(part(version), part(first)));
  return {
    schema: same(({ schema }) => schema),
    subresources: same(({ subresources }) => subresources),
    columns: same(({ additionalPrinterColumns }) => additionalPrinterColumns),
    selectableFields: same(({ selectableFields }) => selectableFields),
  };
}

/** Of what all versions share, once and at the top. */
function sharedFaults(
  versions: readonly DefinitionVersion[],
  shared: SharedParts,
  engine: RuleEngine | undefined,
): Faults {
  const [first] = versions;
  if (first === undefined) return [];
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return [
    ...(shared.schema ? schemaFaultsOf(first, { path: 'spec.validation', hasStatus, engine }) : []),
    ...(shared.subresources ? subresourceFaults(first, 'spec.subresources') : []),
    ...(shared.columns ? columnFaults(first, 'spec.additionalPrinterColumns') : []),
    ...(shared.selectableFields ? selectableFaults(first, 'spec.selectableFields') : []),
  ];
}

function groupFaults(group: string): Faults {
  if (group === '') return [required('spec.group')];
  const sentences = faultsOfSubdomain(group);
  if (sentences.length > 0) return [invalid('spec.group', group, sentences.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function oneOf(path: string, value: string, accepted: readonly string[]): Faults {
  if (value === '') return [required(path)];
  return accepted.includes(value) ? [] : [notSupported(path, value, accepted)];
}

function versionListFaults(versions: readonly DefinitionVersion[]): Faults {
  const faults: FieldError[] = [];
  const names = new Set(versions.map(({ name }) => name));
  if (names.size < versions.length)
    faults.push(invalid('spec.versions', internalVersions(versions), 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const says = 'must have exactly one version marked as storage version';
    faults.push(invalid('spec.versions', internalVersions(versions), says));
  }
  const [first] = versions;
  const sentences = first === undefined ? [] : faultsOfName('service', first.name);
  if (sentences.length > 0) faults.push(invalid('spec.version', first?.name, sentences.join(',')));
  return faults;
}

function requiredNames({ plural, singular = '', kind, listKind = '' }: DefinitionNames): Faults {
  return Object.entries({ plural, singular, kind, listKind })
    .filter(([, name]) => name === '')
    .map(([field]) => required(`spec.names.${field}`));
}

/** Names that are not set are not judged. */
function nameFaults(names: DefinitionNames, path: string): Faults {
  const { plural, singular = '', kind, listKind = '', shortNames = [], categories = [] } = names;
  const label = (field: string, name: string): Faults => {
    const sentences = name === '' ? [] : faultsOfName('service', name);
    return sentences.length === 0 ? [] : [invalid(`${path}.${field}`, name, sentences.join(','))];
  };
  const mixed = (field: string, name: string): Faults => {
    const sentences = name === '' ? [] : faultsOfName('service', name.toLowerCase());
    const says = `may have mixed case, but should otherwise match: ${sentences.join(',')}`;
    return sentences.length === 0 ? [] : [invalid(`${path}.${field}`, name, says)];
  };
  return [
    ...label('plural', plural),
    ...label('singular', singular),
    ...mixed('kind', kind),
    ...mixed('listKind', listKind),
    ...shortNames.flatMap((name, index) => label(`shortNames[${index}]`, name)),
    ...(kind !== '' && kind === listKind
      ? [invalid(`${path}.listKind`, listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, index) => label(`categories[${index}]`, name)),
  ];
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

function conversionFaults({ conversion, versions }: DefinitionSpec): Faults {
  if (conversion === undefined) return [];
  const path = 'spec.conversion';
  const { strategy, webhook } = conversion;
  const config = webhook?.clientConfig;
  const reviewed = webhook?.conversionReviewVersions ?? [];
  const faults: FieldError[] = [...oneOf(`${path}.strategy`, strategy, ['None', 'Webhook'])];
  const unwanted = 'should not be set when strategy is not set to Webhook';
  if (strategy !== 'Webhook') {
    if (config !== undefined) faults.push(forbidden(`${path}.webhookClientConfig`, unwanted));
    if (reviewed.length > 0) faults.push(forbidden(`${path}.conversionReviewVersions`, unwanted));
    return faults;
  }
  if (config === undefined)
    faults.push(required(`${path}.webhookClientConfig`, 'required when strategy is set to Webhook'));
  else if ((config.url === undefined) === (config.service === undefined))
    faults.push(required(`${path}.webhookClientConfig`, 'exactly one of url or service is required'));
  if (reviewed.length === 0) faults.push(required(`${path}.conversionReviewVersions`));
  else if (!reviewed.some((version) => REVIEW_VERSIONS.includes(version))) {
    const says = `must include at least one of ${REVIEW_VERSIONS.join(', ')}`;
    faults.push(invalid(`${path}.conversionReviewVersions`, reviewed, says));
  }
  // Upstream would call the webhook. Here nobody is called, and guessing what it would answer could lose data.
  if ((versions ?? []).length > 1)
    faults.push(
      forbidden(`${path}.strategy`, 'this server does not convert by webhook: serve one version, or use None'),
    );
  return faults;
}

function storedVersionFaults({ spec, status }: CustomResourceDefinition): Faults {
  const path = 'status.storedVersions';
  const stored = status.storedVersions ?? [];
  const versions = spec.versions ?? [];
  if (stored.length === 0) return [invalid(path, null, 'must have at least one stored version')];
  const missing = versions.find(({ storage, name }) => storage && !stored.includes(name));
  return [
    ...(missing === undefined ? [] : [invalid(path, stored, `must have the storage version ${missing.name}`)]),
    ...stored.flatMap((name, index) => {
      if (versions.some((version) => version.name === name)) return [];
      const says = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
      return [invalid(`${path}[${index}]`, name, says)];
    }),
  ];
}

/** What decides where and as what objects are stored does not change. */
function changeFaults(spec: DefinitionSpec, before: CustomResourceDefinition): Faults {
  const fixed = (path: string, value: string, was: string): Faults =>
    value === was ? [] : [invalid(path, value, 'field is immutable')];
  return [
    ...(isTrue(before, 'Established')
      ? [
          ...fixed('spec.scope', spec.scope, before.spec.scope),
          ...fixed('spec.names.kind', spec.names.kind, before.spec.names.kind),
        ]
      : []),
    ...fixed('spec.group', spec.group, before.spec.group),
    ...fixed('spec.names.plural', spec.names.plural, before.spec.names.plural),
  ];
}
