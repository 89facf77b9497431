// Growing a volume that a pod of this node has, while it is in use or right after it was mounted.
// kubernetes:pkg/volume/util/operationexecutor/{operation_generator,node_expander}.go
import { unreachable } from '../../../base/assert.ts';
import { timestamp } from '../../../base/clock.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../../kube/resources/persistent-volume-claim.ts';
import { messageOf } from '../../../runtime/supervise.ts';
import type { OperationTurn } from '../../csiplugin/csi-services.ts';
import { ExpandFailure, nodeExpand } from '../../csiplugin/node-expand.ts';
import { failureOf, VolumeFailure } from '../../csiplugin/volume-failure.ts';
import { claimKeyOf, persistentCsiId, type VolumeSpec } from '../../csiplugin/volume-spec.ts';
import { FILE_SYSTEM_RESIZE_FAILED, FILE_SYSTEM_RESIZE_SUCCESSFUL, VOLUME_RESIZE_FAILED } from '../../reasons.ts';
import type { VolumeToMount } from '../desired-state-of-world.ts';
import type { VolumeServices } from '../volume-services.ts';
import {
  decideExpansion,
  failedPatch,
  finishedPatch,
  inProgressPatch,
  isLarger,
  isRequestChanged,
} from './expansion.ts';
import { step, StepFailure, volumeMessage } from './operation-message.ts';

type PersistentSpec = VolumeSpec & { readonly type: 'persistent' };

/** Where the driver finds the volume. */
export interface ExpansionPaths {
  readonly volumePath: string;
  readonly stagingTargetPath: string;
}

export type ExpansionOutcome =
  | { readonly type: 'done'; readonly size: string }
  /** The claim must change first; it was seen in this version. */
  | { readonly type: 'wait'; readonly resourceVersion: string }
  /** The driver refuses while the volume is in use. */
  | { readonly type: 'in-use' };

/** Of a volume in use. Throws a StepFailure, which is an event of the pod. */
export async function expandInUse(
  services: VolumeServices,
  volume: VolumeToMount,
  turn: OperationTurn,
): Promise<ExpansionOutcome> {
  const at = { prefix: 'NodeExpandVolume.NodeExpandVolume failed', specName: volume.spec.name };
  try {
    const outcome = await step(at, () => expandOnline(services, volume, turn));
    if (outcome.type === 'done') services.actual.markVolumeAsResized(volume.volumeName, outcome.size);
    return outcome;
  } catch (error) {
    if (error instanceof StepFailure)
      tell(services, turn).event(volume.pod, 'Warning', VOLUME_RESIZE_FAILED, error.message);
    throw error;
  }
}

async function expandOnline(
  services: VolumeServices,
  volume: VolumeToMount,
  turn: OperationTurn,
): Promise<ExpansionOutcome> {
  const { spec } = volume;
  if (spec.type !== 'persistent') return { type: 'done', size: volume.desiredSize ?? '0' };
  const claim = await readClaim(spec, turn);
  if (spec.readOnly) {
    tellReadOnly(services, volume, claim, turn);
    return { type: 'done', size: claim.status.capacity?.['storage'] ?? '0' };
  }
  return expand({ services, volume, claim, turn, paths: expansionPaths(services, volume, spec) }, spec);
}

/** After the volume was set up for a pod, which does not start unless this succeeds. Throws a VolumeFailure. */
export async function expandDuringMount(
  services: VolumeServices,
  volume: VolumeToMount,
  turn: OperationTurn,
): Promise<void> {
  const { spec } = volume;
  if (spec.type !== 'persistent' || spec.spec.csi === undefined) return;
  const claim = await readClaim(spec, turn);
  if (!isLarger(spec.spec.capacity?.['storage'], claim.status.capacity?.['storage'])) return;
  if (spec.readOnly) return tellReadOnly(services, volume, claim, turn);
  await expand({ services, volume, claim, turn, paths: expansionPaths(services, volume, spec) }, spec);
}

async function readClaim(spec: PersistentSpec, turn: OperationTurn): Promise<PersistentVolumeClaim> {
  try {
    return await turn.cluster.get(PersistentVolumeClaims, claimKeyOf(spec) ?? '');
  } catch (error) {
    failureOf(error);
    throw new VolumeFailure(`mountVolume.NodeExpandVolume get PVC failed : ${messageOf(error)}`, 'final');
  }
}

function tellReadOnly(
  services: VolumeServices,
  volume: VolumeToMount,
  claim: PersistentVolumeClaim,
  turn: OperationTurn,
): void {
  const text = volumeMessage(
    'MountVolume.NodeExpandVolume failed',
    volume.spec.name,
    'requested read-only file system',
  );
  for (const about of [volume.pod, claim])
    tell(services, turn).event(about, 'Warning', FILE_SYSTEM_RESIZE_FAILED, text);
}

function expansionPaths({ paths }: VolumeServices, { podUid }: VolumeToMount, spec: PersistentSpec): ExpansionPaths {
  const { name } = spec;
  const id = persistentCsiId(spec);
  if (spec.spec.volumeMode === 'Block') {
    return { volumePath: paths.blockPublishPath(name, podUid), stagingTargetPath: paths.blockStagingPath(name) };
  }
  return {
    volumePath: paths.csiTarget(podUid, name),
    stagingTargetPath: id === undefined ? '' : paths.stagingPath(id),
  };
}

interface Expansion {
  readonly services: VolumeServices;
  readonly volume: VolumeToMount;
  readonly claim: PersistentVolumeClaim;
  readonly turn: OperationTurn;
  readonly paths: ExpansionPaths;
}

async function expand(expansion: Expansion, spec: PersistentSpec): Promise<ExpansionOutcome> {
  const { claim } = expansion;
  const decision = decideExpansion(claim);
  switch (decision.type) {
    case 'done':
      return { type: 'done', size: decision.newSize };
    case 'wait':
      return { type: 'wait', resourceVersion: claim.metadata.resourceVersion };
    case 'legacy':
      return expandLegacy(expansion, spec);
    case 'expand':
      return expandWithStates(expansion, spec, decision);
    default:
      return unreachable(decision);
  }
}

async function expandWithStates(
  expansion: Expansion,
  spec: PersistentSpec,
  { newSize, alreadyUpdated }: { readonly newSize: string; readonly alreadyUpdated: boolean },
): Promise<ExpansionOutcome> {
  const claim = alreadyUpdated ? expansion.claim : await patchClaim(expansion, inProgressPatch(expansion.claim));
  const current = { ...expansion, claim };
  try {
    await callDriver(current, spec, newSize);
  } catch (error) {
    if (!(error instanceof ExpandFailure)) throw error;
    if (error.kind === 'unsupported' && alreadyUpdated) return { type: 'done', size: newSize };
    return refused(current, error, newSize);
  }
  tellSuccess(current);
  if (!alreadyUpdated)
    await patchClaim(current, finishedPatch(claim, newSize), 'mountVolume.NodeExpandVolume update pvc status failed: ');
  return { type: 'done', size: newSize };
}

/** Writes down what a failure means, and passes it on unless the pod may go on without it. */
async function refused(expansion: Expansion, error: ExpandFailure, newSize: string): Promise<ExpansionOutcome> {
  const { services, volume, claim } = expansion;
  const { actual, clock } = services;
  if (error.kind !== 'transient') {
    const givesUp = isRequestChanged(claim, newSize) && actual.hasFinalExpansionError(volume.volumeName);
    actual.setFinalExpansionError(volume.volumeName);
    const infeasible = error.kind === 'infeasible' || givesUp;
    const failure = { message: error.message, infeasible, now: timestamp(clock.now()) };
    // That the condition could not be written changes nothing about the failure itself.
    await patchClaim(expansion, failedPatch(claim, failure)).catch((cause: unknown) => void failureOf(cause));
  }
  if (error.kind !== 'in-use') throw new VolumeFailure(error.message, 'final');
  actual.markForInUseExpansionError(volume.volumeName);
  return { type: 'in-use' };
}

async function expandLegacy(expansion: Expansion, spec: PersistentSpec): Promise<ExpansionOutcome> {
  const { services, volume, claim } = expansion;
  const newSize = volume.desiredSize ?? spec.spec.capacity?.['storage'] ?? '0';
  try {
    await callDriver(expansion, spec, newSize);
  } catch (error) {
    if (!(error instanceof ExpandFailure)) throw error;
    if (error.kind === 'unsupported') return { type: 'done', size: newSize };
    if (error.kind !== 'in-use') throw new VolumeFailure(error.message, 'final');
    services.actual.markForInUseExpansionError(volume.volumeName);
    return { type: 'done', size: newSize };
  }
  tellSuccess(expansion);
  if (isLarger(newSize, claim.status.capacity?.['storage'])) {
    await patchClaim(
      expansion,
      finishedPatch(claim, newSize),
      'mountVolume.NodeExpandVolume update PVC status failed : ',
    );
  }
  return { type: 'done', size: newSize };
}

async function callDriver({ services, turn, paths }: Expansion, spec: PersistentSpec, newSize: string): Promise<void> {
  const id = persistentCsiId(spec);
  if (id !== undefined) await nodeExpand(services, { id, spec: spec.spec, newSize, ...paths }, turn);
}

async function patchClaim({ claim, turn }: Expansion, body: object, prefix = ''): Promise<PersistentVolumeClaim> {
  const { namespace = '', name } = claim.metadata;
  try {
    const patch = { type: 'strategic' as const, body };
    return await turn.cluster.patch(PersistentVolumeClaims, `${namespace}/${name}`, patch, { subresource: 'status' });
  } catch (error) {
    failureOf(error);
    throw new VolumeFailure(`${prefix}patchPVCStatus failed to patch PVC "${name}": ${messageOf(error)}`, 'final');
  }
}

function tellSuccess({ services, volume, claim, turn }: Expansion): void {
  const nodeName = volume.pod.spec.nodeName ?? '';
  const text = volumeMessage('MountVolume.NodeExpandVolume succeeded', volume.spec.name, nodeName);
  for (const about of [volume.pod, claim])
    tell(services, turn).event(about, 'Normal', FILE_SYSTEM_RESIZE_SUCCESSFUL, text);
}

const tell = ({ recorder }: VolumeServices, { cluster }: OperationTurn) => recorder.via(cluster);
