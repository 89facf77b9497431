// Publishing a file system volume to one pod, and taking it back. kubernetes:pkg/volume/csi/csi_mounter.go
import type { MountAccess, NodePublishVolumeRequest, StringMap } from '../../csi/driver.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { CsiVolumeId } from '../../volume/volume-name.ts';
import { readCredentials } from './credentials.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';
import { appliesFsGroup, needsOwnershipChange } from './fs-group.ts';
import { VOLUME_DIRECTORY_MODE } from './kubelet-paths.ts';
import { asFinal, clientFor, mountAccess, supportsMountGroup, transiently } from './mount-device.ts';
import { removeMountDirectory } from './mount-directory.ts';
import type { NodeClient } from './node-client.ts';
import { podInfoOf, podTokensOf } from './volume-context.ts';
import { csiLog, failureOf, mountFailure, VolumeFailure, wrapFailure } from './volume-failure.ts';
import type { VolumeSpec } from './volume-spec.ts';
import { attachmentOf, publishContextOf } from './wait-for-attach.ts';

export interface VolumeToSetUp {
  readonly id: CsiVolumeId;
  readonly spec: Exclude<VolumeSpec, { readonly type: 'plain' }>;
  readonly pod: Pod;
  /** A volume that may be in use already keeps its directory when the driver refuses. */
  readonly mayBeMounted: boolean;
}

/** Throws a VolumeFailure. */
export async function setUp(services: CsiServices, volume: VolumeToSetUp, turn: OperationTurn): Promise<void> {
  const { mounter, paths } = services;
  const { id, spec, pod } = volume;
  const client = clientFor(id.driver, services, turn, 'mounter.SetUpAt failed to get CSI client');
  const driverObject = services.driverObjectOf(id.driver);
  checkLifecycleMode(spec, id.driver, driverObject);
  const { stagingTargetPath, publishContext } = await stagedState(services, volume, client, turn);
  const target = paths.csiTarget(pod.metadata.uid, spec.name);
  const directory = paths.csiVolumeDirectory(pod.metadata.uid, spec.name);
  await mounter.makeDirectory(directory, VOLUME_DIRECTORY_MODE);
  const { volumeContext, secrets } = await contextOf(volume, driverObject, turn);
  const takesGroup = await supportsMountGroup(client, 'mounter.SetUpAt');
  await mounter.writeVolumeData(directory, dataOf(services, volume));
  const fsGroup = pod.spec.securityContext?.fsGroup;
  const access = mountAccess(sourceOf(spec), takesGroup ? fsGroup : undefined);
  await publish(client, services, volume, {
    volumeId: id.handle,
    publishContext,
    stagingTargetPath,
    targetPath: target,
    access,
    readonly: isReadOnly(spec),
    secrets,
    volumeContext,
  });
  if (!takesGroup) await applyFsGroup(services, volume, { target, driverObject, signal: turn.signal });
}

/** Throws a VolumeFailure. */
export async function tearDown(
  services: CsiServices,
  volume: { readonly podUid: string; readonly specName: string; readonly id: CsiVolumeId },
  turn: OperationTurn,
): Promise<void> {
  const { id, podUid, specName } = volume;
  const client = clientFor(id.driver, services, turn, 'Unmounter.TearDownAt failed to get CSI client');
  const targetPath = services.paths.csiTarget(podUid, specName);
  try {
    await client.call((node) => node.nodeUnpublishVolume, { volumeId: id.handle, targetPath });
  } catch (error) {
    throw wrapFailure(csiLog('Unmounter.TearDownAt failed'), error, 'final');
  }
  try {
    await removeMountDirectory(services.mounter, targetPath);
  } catch (error) {
    throw wrapFailure(csiLog(`Unmounter.TearDownAt failed to clean mount dir [${targetPath}]`), error, 'final');
  }
}

/** A driver serves inline volumes only if its object says so; without an object it serves persistent ones. */
function checkLifecycleMode(spec: VolumeToSetUp['spec'], driver: string, driverObject: CSIDriver | undefined): void {
  const mode = lifecycleModeOf(spec);
  const modes = driverObject?.spec.volumeLifecycleModes ?? ['Persistent'];
  if (driverObject === undefined ? mode === 'Persistent' : modes.includes(mode)) return;
  const quoted = modes.map((each) => `"${each}"`).join(' ');
  const known = driverObject === undefined ? '(no CSIDriver object)' : `(only supports [${quoted}])`;
  const text = `volume mode "${mode}" not supported by driver ${driver} ${known}`;
  throw new VolumeFailure(csiLog(`mounter.SetupAt failed to check volume lifecycle mode: ${text}`), 'transient');
}

const lifecycleModeOf = (spec: VolumeToSetUp['spec']): 'Persistent' | 'Ephemeral' =>
  spec.type === 'inline' ? 'Ephemeral' : 'Persistent';

async function stagedState(
  services: CsiServices,
  { id, spec }: VolumeToSetUp,
  client: NodeClient,
  turn: OperationTurn,
): Promise<{ readonly stagingTargetPath: string; readonly publishContext: StringMap }> {
  if (spec.type === 'inline') return { stagingTargetPath: '', publishContext: {} };
  const stages = await asFinal(() => client.supports('STAGE_UNSTAGE_VOLUME')).catch((error: unknown) => {
    throw wrapFailure(csiLog('mounter.SetUpAt failed to check for STAGE_UNSTAGE_VOLUME capability'), error, 'final');
  });
  const prefix = csiLog('mounter.SetUpAt failed to fetch publishContext');
  const publishContext = await transiently(() => publishContextOf(services, id, turn), prefix);
  return { stagingTargetPath: stages ? services.paths.stagingPath(id) : '', publishContext };
}

async function contextOf(
  volume: VolumeToSetUp,
  driverObject: CSIDriver | undefined,
  turn: OperationTurn,
): Promise<{ readonly volumeContext: StringMap; readonly secrets: StringMap }> {
  const { spec, pod } = volume;
  const credentials = await publishSecrets(volume, turn);
  const info = podInfoOf(pod, driverObject, spec.type === 'inline');
  const prefix = csiLog('mounter.SetUpAt failed to get service accoount token attributes');
  const tokens = await transiently(() => podTokensOf(pod, driverObject, turn), prefix);
  const attributes = spec.type === 'inline' ? spec.source.volumeAttributes : spec.spec.csi?.volumeAttributes;
  return {
    volumeContext: { ...attributes, ...info, ...tokens.volumeContext },
    secrets: { ...credentials, ...tokens.secrets },
  };
}

async function publishSecrets({ spec, pod }: VolumeToSetUp, turn: OperationTurn): Promise<StringMap> {
  const inline = spec.type === 'inline' ? spec.source.nodePublishSecretRef : undefined;
  const reference =
    spec.type === 'persistent'
      ? spec.spec.csi?.nodePublishSecretRef
      : inline && { ...inline, namespace: pod.metadata.namespace ?? '' };
  try {
    return await readCredentials(turn.cluster, reference);
  } catch (error) {
    failureOf(error);
    const name = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
    throw new VolumeFailure(`fetching NodePublishSecretRef ${name} failed: ${messageOf(error)}`, 'transient');
  }
}

function dataOf(services: CsiServices, { id, spec }: VolumeToSetUp) {
  return {
    specVolID: spec.name,
    volumeHandle: id.handle,
    driverName: id.driver,
    nodeName: services.nodeName,
    volumeLifecycleMode: lifecycleModeOf(spec),
    attachmentID: attachmentOf(services, id),
  };
}

const sourceOf = (spec: VolumeToSetUp['spec']): Parameters<typeof mountAccess>[0] =>
  spec.type === 'inline' ? { csi: spec.source } : spec.spec;
const modesOf = (spec: VolumeToSetUp['spec']): readonly string[] | undefined =>
  spec.type === 'inline' ? undefined : spec.spec.accessModes;
/** Only the pod's own reference to the claim counts; the volume's `csi.readOnly` is for the attach. */
const isReadOnly = (spec: VolumeToSetUp['spec']): boolean =>
  spec.type === 'inline' ? spec.source.readOnly === true : spec.readOnly;

type PublishRequest = Omit<NodePublishVolumeRequest, 'volumeCapability'> & { readonly access: MountAccess };

async function publish(
  client: NodeClient,
  { mounter }: CsiServices,
  { mayBeMounted, spec }: VolumeToSetUp,
  { access, ...request }: PublishRequest,
): Promise<void> {
  try {
    const accessMode = await asFinal(() => client.accessModeOf(modesOf(spec)));
    const volumeCapability = { accessType: access, accessMode };
    await client.call((node) => node.nodePublishVolume, { ...request, volumeCapability });
  } catch (error) {
    const failure = mountFailure(error);
    if (failure.progress === 'final' && !mayBeMounted) await removeMountDirectory(mounter, request.targetPath);
    throw failure;
  }
}

async function applyFsGroup(
  { mounter }: CsiServices,
  { id, spec, pod }: VolumeToSetUp,
  at: { readonly target: string; readonly driverObject: CSIDriver | undefined; readonly signal: AbortSignal },
): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec.securityContext ?? {};
  const readOnly = isReadOnly(spec);
  if (fsGroup === undefined || !appliesFsGroup({ spec, readOnly, fsGroup, driverObject: at.driverObject })) return;
  try {
    if (!needsOwnershipChange(fsGroupChangePolicy, await mounter.stat(at.target), fsGroup)) return;
    await mounter.setOwnership(at.target, { gid: fsGroup, readOnly }, at.signal);
  } catch (error) {
    throw wrapFailure(`applyFSGroup failed for vol ${id.handle}`, error, 'uncertain');
  }
}
