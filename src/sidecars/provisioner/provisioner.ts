// external-provisioner: makes volumes for claims that the PV controller gave to its driver, and deletes the volumes of
// PersistentVolumes that were released. It meets the other components only in claims, volumes, classes and snapshots.
import { SECOND_MS } from '../../base/clock.ts';
import { type DriverCapabilities, askDriverCapabilities } from '../../csi/capabilities.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import type { CsiDriver } from '../../csi/driver.ts';
import { keyOf } from '../../kube/object.ts';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { supervise } from '../../runtime/supervise.ts';
import { CapacityProducer, queueLimits } from './capacity.ts';
import { clusterTopology } from './cluster-topology.ts';
import { POPULATOR_COMPONENT } from './reasons.ts';
import { repeatInBackground } from './repeat-in-background.ts';
import type { Services } from './services.ts';
import { DEFAULT_PROVISIONER_SETTINGS, type ProvisionerSettings, RESYNC_PERIOD_MS } from './settings.ts';
import { cloneSourceKeys, snapshotSourceKeys, sweepSnapshots, syncCloneSource } from './source-protection.ts';
import { ClaimSync } from './sync-claim.ts';
import { VolumeSync } from './sync-volume.ts';
import { UnsavedVolumes } from './unsaved-volumes.ts';
import { nodeAffinityOf } from './volume-draft.ts';

export interface ProvisionerOptions {
  readonly driver: CsiDriver;
  readonly settings?: Partial<ProvisionerSettings>;
}

/** Between two questions to a driver that does not answer yet. csi-lib-utils:rpc/common.go */
const PROBE_INTERVAL_MS = SECOND_MS;

export function provisioner({ driver, settings }: ProvisionerOptions): Component {
  const name = `external-provisioner/${driver.name}`;
  const all = { ...DEFAULT_PROVISIONER_SETTINGS, ...settings };
  return { name, start: (context) => supervise(name, run(driver, all, context), context.log) };
}

async function run(driver: CsiDriver, settings: ProvisionerSettings, context: ComponentContext): Promise<void> {
  const capabilities = await waitForDriver(driver, settings, context);
  const informers = new InformerFactory(context);
  const services = servicesOf({ driver, settings, capabilities }, context, informers);
  const capacity = settings.enableCapacity ? new CapacityProducer(context, services, informers) : undefined;
  startClaims(services, context, informers, capacity);
  startVolumes(services, context, informers, capacity);
  if (capabilities.controller.has('CLONE_VOLUME')) startCloningProtection(services, context, informers);
  informers.start();
  const intervalMs = settings.snapshotOrphanSweepIntervalMs;
  if (capabilities.controller.has('CREATE_DELETE_SNAPSHOT') && intervalMs > 0) {
    await informers.whenSynced(context.signal);
    await sweepSnapshots(services, context.cluster);
    await repeatInBackground(context, intervalMs, () => sweepSnapshots(services, context.cluster));
  }
}

/** Nothing is done before the driver has answered: what it can do decides what is watched. */
async function waitForDriver(
  driver: CsiDriver,
  settings: ProvisionerSettings,
  { clock, signal, log }: ComponentContext,
): Promise<DriverCapabilities> {
  const call = { signal, deadlineMs: settings.timeoutMs };
  for (;;) {
    const asked = await attempt(async () => {
      const { ready = true } = await driver.identity.probe({}, call);
      return ready ? askDriverCapabilities(driver, call) : undefined;
    }, isCsiError);
    if (!asked.failed && asked.value !== undefined) return asked.value;
    log.write('info', `driver ${driver.name} is not ready`, asked.failed ? { error: asked.error } : {});
    await clock.sleep(PROBE_INTERVAL_MS, signal);
  }
}

function servicesOf(
  known: Pick<Services, 'driver' | 'settings' | 'capabilities'>,
  context: ComponentContext,
  informers: InformerFactory,
): Services {
  const { driver, settings, capabilities } = known;
  const { clock, log } = context;
  const random = context.random.fork('instance');
  const identity = `${Math.floor(clock.now())}-${random.int(0, 10_000)}-${driver.name}`;
  const component = `${driver.name}_${settings.podName}_${random.uid()}`;
  const supportsTopology = capabilities.plugin.has('VOLUME_ACCESSIBILITY_CONSTRAINTS');
  const indexes = { uid: uidOf, cloneSource: cloneSourceKeys, snapshotSource: snapshotSourceKeys };
  const resync = { resyncMs: RESYNC_PERIOD_MS };
  return {
    ...known,
    identity,
    clock,
    log,
    recorder: new EventRecorder({ ...context, component }),
    populatorRecorder: new EventRecorder({ ...context, component: POPULATOR_COMPONENT }),
    claims: informers.of(PersistentVolumeClaims, indexes, resync),
    volumes: informers.of(PersistentVolumes, {}, resync),
    classes: informers.of(StorageClasses),
    topology: supportsTopology
      ? clusterTopology({
          driverName: driver.name,
          csiNodes: informers.of(CSINodes),
          nodes: informers.of(Nodes),
          random: context.random.fork('topology'),
        })
      : undefined,
    attachments: capabilities.controller.has('PUBLISH_UNPUBLISH_VOLUME')
      ? informers.of(VolumeAttachments, { volume: ({ spec }) => present(spec.source.persistentVolumeName) })
      : undefined,
  };
}

const uidOf = ({ metadata }: { readonly metadata: { readonly uid: string } }): readonly string[] => [metadata.uid];
const present = (name: string | undefined): readonly string[] => (name === undefined ? [] : [name]);

function startClaims(
  services: Services,
  context: ComponentContext,
  informers: InformerFactory,
  capacity: CapacityProducer | undefined,
): void {
  const sync = new ClaimSync(services, new UnsavedVolumes(context, services), (className, made, reason) => {
    const affinity = made === undefined ? undefined : nodeAffinityOf(made.accessibleTopology);
    capacity?.refresh({ className, ...(affinity === undefined ? {} : { affinity }) }, reason);
  });
  const claims = informers.of(PersistentVolumeClaims);
  // A deleted claim is not queued: either an attempt of it is being retried, and then it is queued, or nobody cares.
  startController({
    reconciler: { name: 'claims', kind: 'PersistentVolumeClaim', reconcile: (uid, turn) => sync.reconcile(uid, turn) },
    triggers: [trigger(claims, ({ type, object }) => (type === 'deleted' ? [] : uidOf(object)))],
    workers: services.settings.workerThreads,
    context,
    queueLimits: queueLimits(services),
    waitFor: [informers],
  });
  claims.subscribe(({ type, object }) => {
    if (type === 'deleted') sync.forget(object.metadata.uid);
  });
}

function startVolumes(
  services: Services,
  context: ComponentContext,
  informers: InformerFactory,
  capacity: CapacityProducer | undefined,
): void {
  const sync = new VolumeSync(services, ({ spec }, reason) => {
    if (spec.nodeAffinity !== undefined) capacity?.refresh({ affinity: spec.nodeAffinity }, reason);
  });
  const volumes = informers.of(PersistentVolumes);
  const { queue } = startController({
    reconciler: { name: 'volumes', kind: 'PersistentVolume', reconcile: (name, turn) => sync.reconcile(name, turn) },
    triggers: [trigger(volumes, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name]))],
    workers: services.settings.workerThreads,
    context,
    queueLimits: queueLimits(services),
    waitFor: [informers],
  });
  volumes.subscribe(({ type, object }) => {
    if (type !== 'deleted') return;
    queue.forget(object.metadata.name);
    sync.forget(object.metadata.uid);
  });
}

function startCloningProtection(services: Services, context: ComponentContext, informers: InformerFactory): void {
  const claims = informers.of(PersistentVolumeClaims);
  startController({
    reconciler: {
      name: 'cloning-protection',
      kind: 'PersistentVolumeClaim',
      reconcile: (key, turn) => syncCloneSource(key, claims, turn),
    },
    triggers: [
      trigger(claims, ({ type, object }) =>
        type !== 'deleted' && object.metadata.deletionTimestamp !== undefined ? [keyOf(object)] : [],
      ),
    ],
    workers: services.settings.cloningProtectionThreads,
    context,
    queueLimits: queueLimits(services),
    waitFor: [informers],
  });
}
