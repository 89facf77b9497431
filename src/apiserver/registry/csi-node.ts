// kubernetes:pkg/registry/storage/csinode/strategy.go, pkg/apis/storage/validation/validation.go
import { type FieldError, duplicate, invalid, required } from '../../kube/field-error.ts';
import { type CSINode, type CSINodeDriver, CSINodes } from '../../kube/resources/csi-node.ts';
import { checkDriverName, checkNonNegative, checkQualifiedName } from './field-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const NODE_ID_LENGTH_MAX = 256;

export const csiNodeStrategy: Strategy<CSINode> = {
  resource: CSINodes,
  hasGeneration: false,
  hasStatus: false,
  requiresResourceVersion: true,
  answersDeletedObject: true,
  metadataChecks: { update: ['object'] },
  nameRule: 'subdomain',
  applyDefaults: (node) => node,
  validate: checkNode,
  validateUpdate: (node, before) => [
    ...checkNode(node),
    ...(before.spec.drivers ?? []).flatMap((old) =>
      (node.spec.drivers ?? [])
        .filter(({ name }) => name === old.name)
        .flatMap((driver) => checkDriverChange(driver, old)),
    ),
  ],
};

function checkNode(node: CSINode): Faults {
  const drivers = node.spec.drivers ?? [];
  return drivers.flatMap((driver, index) => {
    const isRepeated = drivers.slice(0, index).some(({ name }) => name === driver.name);
    return checkDriver(driver, isRepeated, `spec.drivers[${index}]`);
  });
}

function checkDriver(driver: CSINodeDriver, isRepeated: boolean, path: string): Faults {
  const keys = driver.topologyKeys ?? [];
  return [
    ...checkDriverName(`${path}.name`, driver.name),
    ...checkNodeId(driver.nodeID, `${path}.nodeID`),
    ...checkNonNegative(`${path}.allocatable.count`, driver.allocatable?.count),
    ...(isRepeated ? [duplicate(`${path}.name`, driver.name)] : []),
    ...keys.flatMap((key, index) => [
      ...(key === '' ? [required(path)] : []),
      ...(keys.indexOf(key) < index ? [duplicate(path, key)] : []),
      ...checkQualifiedName(path, key),
    ]),
  ];
}

const checkNodeId = (nodeId: string, path: string): Faults => [
  ...(nodeId === '' ? [required(path)] : []),
  ...(nodeId.length > NODE_ID_LENGTH_MAX
    ? [invalid(path, nodeId, `must be ${NODE_ID_LENGTH_MAX} characters or less`)]
    : []),
];

/** An entry is replaced by removing and adding it; in place only the number of volumes it takes may change. */
function checkDriverChange(driver: CSINodeDriver, before: CSINodeDriver): Faults {
  const { allocatable: _now, ...fixed } = driver;
  const { allocatable: _then, ...old } = before;
  if (sameValue(fixed, old)) return [];
  const printed = {
    Name: driver.name,
    NodeID: driver.nodeID,
    TopologyKeys: driver.topologyKeys ?? null,
    Allocatable: null,
  };
  return [invalid('spec.drivers', printed, 'field is immutable')];
}
