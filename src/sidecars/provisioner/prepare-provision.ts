// From a claim to a CreateVolume request. Everything is checked and read before the driver is asked for anything, in
// upstream's order, because the first fault found is the one the user sees.
import type { CreateVolumeRequest, StringMap, TopologyRequirement } from '../../csi/driver.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { StorageClass } from '../../kube/resources/storage-class.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Turn } from '../../runtime/controller.ts';
import { type Found, driverParameters, fsTypeOf, objectMetadata } from './class-parameters.ts';
import { volumeCapabilities, volumeNameFor } from './create-volume.ts';
import { type DataSource, dataSourceOf, requestedBytes } from './data-source.ts';
import type { ProvisioningState } from './provisioning-state.ts';
import { missingCapability } from './required-capabilities.ts';
import { readCredentials } from './secret-data.ts';
import { type SecretKind, secretReference } from './secret-reference.ts';
import type { Services } from './services.ts';
import { takeSource } from './take-source.ts';
import { type TopologyMemory, decideTopology } from './topology-requirement.ts';
import type { Reference, SecretReferences } from './volume-draft.ts';

export interface Task {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly selectedNode: string;
}
/** What was found out about places, by claim uid. */
export type TopologyMemories = Map<string, TopologyMemory>;

export type Failed = { readonly type: 'failed'; readonly state: ProvisioningState; readonly message: string };
export type Prepared =
  | {
      readonly type: 'ready';
      readonly request: CreateVolumeRequest;
      readonly fsType: string;
      readonly secrets: SecretReferences;
    }
  | { readonly type: 'foreign' }
  | Failed;

export async function prepareProvision(
  task: Task,
  services: Services,
  memories: TopologyMemories,
  turn: Turn,
): Promise<Prepared> {
  const start = firstChecks(task, services);
  if (start.type !== 'begun') return start;
  const source = await takeSource(start.dataSource, task, services, turn);
  if (source.type === 'wrong') return failed('no-change', source.message);
  const topology = requirementFor(task, services, memories);
  if (topology.type === 'failed') return topology;
  const volumeName = start.base.name;
  const secrets = secretReferences(task, volumeName);
  if (secrets.type === 'wrong') return failed('no-change', secrets.message);
  const credentials = await readCredentials(turn.cluster, secrets.value.provisioner);
  if (credentials.type === 'wrong') return failed('no-change', credentials.message);
  const parameters = driverParameters(task.storageClass.parameters ?? {});
  if (parameters.type === 'wrong') return failed('finished', parameters.message);
  const mutable = await mutableParameters(task, services, turn);
  if (mutable.type === 'failed') return mutable;
  const metadata = services.settings.extraCreateMetadata ? objectMetadata(task.claim, volumeName) : {};
  const request: CreateVolumeRequest = {
    ...start.base,
    parameters: { ...parameters.value, ...metadata },
    mutableParameters: mutable.parameters,
    secrets: credentials.value,
    ...(source.value === undefined ? {} : { volumeContentSource: source.value }),
    ...(topology.requirement === undefined ? {} : { accessibilityRequirements: topology.requirement }),
  };
  return { type: 'ready', request, fsType: start.fsType, secrets: secrets.value };
}

type Begun =
  | Failed
  | { readonly type: 'foreign' }
  | {
      readonly type: 'begun';
      readonly dataSource: Exclude<DataSource, { type: 'wrong' | 'foreign' }>;
      readonly fsType: string;
      readonly base: Pick<CreateVolumeRequest, 'name' | 'capacityRange' | 'volumeCapabilities'>;
    };

/** All that needs nothing but the claim, the class and the driver's capabilities. */
function firstChecks({ claim, storageClass }: Task, { capabilities, settings }: Services): Begun {
  const dataSource = dataSourceOf(claim);
  if (dataSource.type === 'wrong') return failed('finished', dataSource.message);
  if (dataSource.type === 'foreign') return { type: 'foreign' };
  const missing = missingCapability(capabilities, {
    snapshot: dataSource.type === 'snapshot',
    clone: dataSource.type === 'claim',
    modifyVolume: attributesClassOf(claim) !== '',
  });
  if (missing !== undefined) return failed('finished', missing);
  if (claim.spec.selector !== undefined) return failed('finished', 'claim Selector is not supported');
  const fsType = fsTypeOf(storageClass.parameters ?? {}, settings.defaultFstype);
  if (fsType.type === 'wrong') return failed('finished', fsType.message);
  const supportsSingleNodeMultiWriter = capabilities.controller.has('SINGLE_NODE_MULTI_WRITER');
  const found = volumeCapabilities({ claim, storageClass, fsType: fsType.value, supportsSingleNodeMultiWriter });
  if (found.type === 'wrong') return failed('finished', found.message);
  const base = {
    name: volumeNameFor(claim.metadata.uid, settings),
    capacityRange: { requiredBytes: BigInt(requestedBytes(claim)), limitBytes: 0n },
    volumeCapabilities: found.value,
  };
  return { type: 'begun', dataSource, fsType: fsType.value, base };
}

const attributesClassOf = (claim: PersistentVolumeClaim): string => claim.spec.volumeAttributesClassName ?? '';

type Required = { readonly type: 'decided'; readonly requirement: TopologyRequirement | undefined } | Failed;

function requirementFor(task: Task, { topology, settings }: Services, memories: TopologyMemories): Required {
  if (topology === undefined) return { type: 'decided', requirement: undefined };
  const { uid, name } = task.claim.metadata;
  const decision = decideTopology({
    claimName: name,
    allowedTopologies: task.storageClass.allowedTopologies ?? [],
    selectedNode: task.selectedNode,
    strict: settings.strictTopology,
    immediate: settings.immediateTopology,
    cluster: topology,
    memory: memories.get(uid) ?? {},
  });
  memories.set(uid, decision.memory);
  switch (decision.type) {
    case 'require':
      return { type: 'decided', requirement: decision.requirement };
    case 'anywhere':
      return { type: 'decided', requirement: undefined };
    case 'reschedule':
      return failed('reschedule', decision.message);
    default:
      return failed('no-change', `error generating accessibility requirements: ${decision.message}`);
  }
}

const KINDS: readonly (readonly [keyof SecretReferences, SecretKind])[] = [
  ['provisioner', 'provisioner'],
  ['controllerPublish', 'controller-publish'],
  ['nodeStage', 'node-stage'],
  ['nodePublish', 'node-publish'],
  ['controllerExpand', 'controller-expand'],
  ['nodeExpand', 'node-expand'],
  ['controllerModify', 'controller-modify'],
];

/** Only the provisioner's secret is read now; the others become references in the volume. */
function secretReferences({ claim, storageClass }: Task, pvName: string): Found<SecretReferences> {
  const found: [keyof SecretReferences, Reference][] = [];
  for (const [field, kind] of KINDS) {
    const lookup = secretReference(kind, storageClass.parameters ?? {}, { pvName, claim });
    if (lookup.type === 'wrong') return lookup;
    if (lookup.type === 'reference') found.push([field, lookup.reference]);
  }
  return { type: 'found', value: Object.fromEntries(found) };
}

type Mutable = { readonly type: 'read'; readonly parameters: StringMap } | Failed;

async function mutableParameters({ claim }: Task, { driver }: Services, turn: Turn): Promise<Mutable> {
  const name = attributesClassOf(claim);
  if (name === '') return { type: 'read', parameters: {} };
  const read = await attempt(() => turn.cluster.get(VolumeAttributesClasses, name));
  if (read.failed) return failed('no-change', read.error.message);
  const { driverName, parameters = {} } = read.value;
  if (driverName === driver.name) return { type: 'read', parameters };
  const mismatch = `is for driver ${driverName} which does not match driver name ${driver.name}`;
  return failed('finished', `VAC ${name} referenced in PVC ${mismatch}`);
}

export const failed = (state: ProvisioningState, message: string): Failed => ({ type: 'failed', state, message });
