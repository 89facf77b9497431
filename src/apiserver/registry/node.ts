// kubernetes:pkg/registry/core/node/strategy.go, pkg/apis/core/validation/validation.go
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import { faultsOfLabelValue } from '../../kube/names.ts';
import type { Taint } from '../../kube/resources/node-selector.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { TAINT_EFFECTS } from './affinity-checks.ts';
import { checkOneOf, checkQualifiedName } from './field-checks.ts';
import { goStruct } from './go-struct.ts';
import { checkFamilies, warnOfBlock } from './internet-address.ts';
import { checkResourceAmount } from './resource-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

export const nodeStrategy: Strategy<Node> = {
  resource: Nodes,
  hasGeneration: false,
  hasStatus: true,
  keepsStatusAtCreate: true,
  metadataChecks: { update: ['object', 'update'] },
  nameRule: 'subdomain',
  fieldSelectors: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
  applyDefaults: (node) => withAllocatable(withAddressRanges(node)),
  prepareForCreate: (node) => ({ ...node, spec: withoutConfigSource(node.spec) }),
  prepareForUpdate: (node, before) => ({
    ...node,
    spec: before.spec.configSource === undefined ? withoutConfigSource(node.spec) : node.spec,
    status: before.status,
  }),
  prepareForStatusUpdate: (node, before) => ({ ...node, spec: before.spec }),
  validate: checkNode,
  validateUpdate: (node, before) => [...checkNode(node), ...checkChange(node, before)],
  validateStatusUpdate: checkChange,
  warnings: warningsOf,
};

/** What pods may use is all there is, until the kubelet says otherwise. */
function withAllocatable(node: Node): Node {
  const { capacity, allocatable } = node.status;
  if (allocatable !== undefined || capacity === undefined) return node;
  return { ...node, status: { ...node.status, allocatable: capacity } };
}

/** `podCIDR` is the first of `podCIDRs`; where they differ the older field is believed. */
function withAddressRanges(node: Node): Node {
  const { podCIDR, podCIDRs = [] } = node.spec;
  const [first] = podCIDRs;
  if (podCIDR === first) return node;
  const ranges = podCIDR === undefined ? podCIDRs : [podCIDR];
  return { ...node, spec: { ...node.spec, podCIDR: ranges[0] ?? '', podCIDRs: ranges } };
}

function withoutConfigSource(spec: Node['spec']): Node['spec'] {
  if (spec.configSource === undefined) return spec;
  const { configSource: _removed, ...rest } = spec;
  return rest;
}

/** Upstream tells faults of taints under the metadata. */
function checkNode(node: Node): Faults {
  return [
    ...checkTaints(node.spec.taints ?? []),
    ...checkAmounts(node),
    ...checkFamilies('spec.podCIDRs', node.spec.podCIDRs ?? []),
  ];
}

function checkTaints(taints: readonly Taint[]): Faults {
  return taints.flatMap((taint, index) => {
    const path = `metadata.taints[${index}]`;
    const faults = faultsOfLabelValue(taint.value ?? '');
    const isRepeated = taints.slice(0, index).some(({ key, effect }) => key === taint.key && effect === taint.effect);
    return [
      ...checkQualifiedName(`${path}.key`, taint.key),
      ...(faults.length === 0 ? [] : [invalid(`${path}.value`, taint.value ?? '', faults.join(';'))]),
      ...(taint.effect === ''
        ? [required(`${path}.effect`)]
        : checkOneOf(`${path}.effect`, taint.effect, TAINT_EFFECTS)),
      ...(isRepeated ? [repeatedTaint(taint, path)] : []),
    ];
  });
}

function repeatedTaint(taint: Taint, path: string): FieldError {
  const { key, value = '', effect, timeAdded = null } = taint;
  const fault = duplicate(path, goStruct({ key, value, effect, timeAdded }));
  return { ...fault, text: `${fault.text}: taints must be unique by key and effect pair` };
}

function checkAmounts(node: Node): Faults {
  return (['capacity', 'allocatable'] as const).flatMap((list) =>
    Object.entries(node.status[list] ?? {}).flatMap(([name, amount]) =>
      checkResourceAmount(name, amount, `status.${list}.${name}`),
    ),
  );
}

function checkChange(node: Node, before: Node): Faults {
  const { addresses = [] } = node.status;
  return [
    ...checkAmounts(node),
    ...addresses.flatMap((address, index) =>
      addresses.slice(0, index).some((other) => sameValue(other, address))
        ? [duplicate(`status.addresses[${index}]`, goStruct(address))]
        : [],
    ),
    ...checkOnce('podCIDRs', 'podCIDR', node, before),
    ...checkOnce('providerID', 'providerID', node, before),
    ...checkTaints(node.spec.taints ?? []),
    ...((node.spec.externalID ?? '') === (before.spec.externalID ?? '')
      ? []
      : [forbidden('spec.externalID', 'may not be updated')]),
  ];
}

function checkOnce(key: 'podCIDRs' | 'providerID', told: string, node: Node, before: Node): Faults {
  const old = before.spec[key] ?? [];
  return old.length === 0 || sameValue(node.spec[key], old)
    ? []
    : [forbidden(`spec.${key}`, `node updates may not change ${told} except from "" to valid`)];
}

function warningsOf({ spec }: Node): readonly string[] {
  const { configSource, externalID = '', podCIDRs = [] } = spec;
  return [
    ...(configSource === undefined ? [] : ['spec.configSource: the feature is removed']),
    ...(externalID === '' ? [] : ['spec.externalID: this field is deprecated, and is unused by Kubernetes']),
    ...podCIDRs.flatMap((range, index) => warnOfBlock(`spec.podCIDRs[${index}]`, range)),
  ];
}
