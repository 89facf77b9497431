// external-attacher: does with a driver what VolumeAttachments ask for. It meets the other components only in
// VolumeAttachments, PersistentVolumes and CSINodes. external-attacher:cmd/csi-attacher/main.go, pkg/controller/controller.go
import { SECOND_MS } from '../../base/clock.ts';
import { type DriverCapabilities, askDriverCapabilities } from '../../csi/capabilities.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import { type CsiDriver } from '../../csi/driver.ts';
import { hasFinalizer } from '../../kube/finalizers.ts';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { type Reason } from '../../kube/reason.ts';
import { attempt } from '../../runtime/attempt.ts';
import { type Component, type ComponentContext } from '../../runtime/component.ts';
import { type ControllerOptions, type Trigger, startController, trigger } from '../../runtime/controller.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { supervise } from '../../runtime/supervise.ts';
import { type WorkQueue } from '../../runtime/workqueue.ts';
import { isNews } from './attachment-change.ts';
import { contradicted, listPublished } from './compare-published.ts';
import { finalizerName } from './finalizer-name.ts';
import { ForcedSyncs } from './forced-syncs.ts';
import { type Services, csiCall } from './services.ts';
import { type AttacherSettings, CAPABILITIES_TIMEOUT_MS, DEFAULT_ATTACHER_SETTINGS } from './settings.ts';
import { AttachmentSync } from './sync-attachment.ts';
import { syncVolume } from './sync-volume.ts';
import { syncTrivially } from './trivial-sync.ts';

export interface AttacherOptions {
  readonly driver: CsiDriver;
  readonly settings?: Partial<AttacherSettings>;
}

/** Between two questions to a driver that does not answer yet. csi-lib-utils:rpc/common.go */
const PROBE_INTERVAL_MS = SECOND_MS;

export function attacher({ driver, settings }: AttacherOptions): Component {
  const name = `csi-attacher/${driver.name}`;
  const all = { ...DEFAULT_ATTACHER_SETTINGS, ...settings };
  return { name, start: (context) => supervise(name, run(driver, all, context), context.log) };
}

async function run(driver: CsiDriver, settings: AttacherSettings, context: ComponentContext): Promise<void> {
  const { controller: capabilities } = await waitForDriver(driver, settings, context);
  const informers = new InformerFactory(context, { resyncMs: settings.resyncMs });
  const services = servicesOf({ driver, settings, capabilities }, context, informers);
  const base: BaseOptions = {
    context,
    waitFor: [informers],
    workers: settings.workerThreads,
    queueLimits: {
      perKey: { initialMs: settings.retryIntervalStartMs, factor: 2, maxMs: settings.retryIntervalMaxMs },
    },
  };
  if (capabilities.has('PUBLISH_UNPUBLISH_VOLUME')) startPublishing(services, informers, base);
  else startTrivially(services, informers, base);
  informers.start();
}

/** Nothing is done before the driver has answered: what it can do decides what is done at all. */
async function waitForDriver(
  driver: CsiDriver,
  settings: AttacherSettings,
  { clock, signal, log }: ComponentContext,
): Promise<DriverCapabilities> {
  for (;;) {
    const asked = await attempt(async () => {
      const { ready = true } = await driver.identity.probe({}, { signal, deadlineMs: settings.timeoutMs });
      if (!ready) return undefined;
      return await askDriverCapabilities(driver, { signal, deadlineMs: CAPABILITIES_TIMEOUT_MS });
    }, isCsiError);
    if (!asked.failed && asked.value !== undefined) return asked.value;
    log.write('info', `driver ${driver.name} is not ready`, asked.failed ? { error: asked.error } : {});
    await clock.sleep(PROBE_INTERVAL_MS, signal);
  }
}

function servicesOf(
  known: Pick<Services, 'driver' | 'settings' | 'capabilities'>,
  { clock, log }: ComponentContext,
  informers: InformerFactory,
): Services {
  const indexes = {
    driver: ({ spec }: VolumeAttachment) => [spec.attacher],
    volume: ({ spec }: VolumeAttachment) => volumeNames(spec.source.persistentVolumeName),
  };
  return {
    ...known,
    clock,
    log,
    finalizer: finalizerName(known.driver.name),
    attachments: informers.of(VolumeAttachments, indexes),
    volumes: informers.of(PersistentVolumes),
    csiNodes: informers.of(CSINodes),
  };
}

const volumeNames = (name: string | undefined): readonly string[] => (name === undefined ? [] : [name]);

/** News of the attachments of our driver. */
const ofInterest = ({ driver }: Services, informers: InformerFactory): Trigger =>
  trigger(informers.of(VolumeAttachments), (change) =>
    change.object.spec.attacher === driver.name && isNews(change) ? [change.object.metadata.name] : [],
  );

type BaseOptions = Omit<ControllerOptions, 'reconciler' | 'triggers'>;

function startPublishing(services: Services, informers: InformerFactory, base: BaseOptions): void {
  const forced = new ForcedSyncs();
  const sync = new AttachmentSync(services, forced);
  const attachments = informers.of(VolumeAttachments);
  const { queue } = startController({
    ...base,
    reconciler: {
      name: 'attachments',
      kind: 'VolumeAttachment',
      reconcile: (name, turn) => sync.reconcile(name, turn),
    },
    triggers: [ofInterest(services, informers)],
  });
  startController({
    ...base,
    reconciler: {
      name: 'volumes',
      kind: 'PersistentVolume',
      reconcile: (name, turn) => syncVolume(name, services, turn),
    },
    triggers: [
      trigger(attachments, ({ type, object: { spec } }) =>
        type === 'deleted' ? volumeNames(spec.source.persistentVolumeName) : [],
      ),
      trigger(informers.of(PersistentVolumes), ({ type, object }) =>
        type !== 'deleted' && isLeaving(object, services) ? [object.metadata.name] : [],
      ),
    ],
  });
  const { capabilities } = services;
  if (!capabilities.has('LIST_VOLUMES') || !capabilities.has('LIST_VOLUMES_PUBLISHED_NODES')) return;
  supervise(
    'comparison with the driver',
    compareAgainAndAgain(services, { forced, queue, informers }, base.context),
    base.context.log,
  );
}

const isLeaving = (volume: PersistentVolume, { finalizer }: Services): boolean =>
  volume.metadata.deletionTimestamp !== undefined && hasFinalizer(volume, finalizer);

function startTrivially(services: Services, informers: InformerFactory, base: BaseOptions): void {
  startController({
    ...base,
    reconciler: {
      name: 'attachments',
      kind: 'VolumeAttachment',
      reconcile: (name, turn) => syncTrivially(name, services, turn),
    },
    triggers: [ofInterest(services, informers)],
  });
}

interface Comparison {
  readonly forced: ForcedSyncs;
  readonly queue: WorkQueue<string>;
  readonly informers: InformerFactory;
}

async function compareAgainAndAgain(
  services: Services,
  { forced, queue, informers }: Comparison,
  context: ComponentContext,
): Promise<void> {
  const { clock, signal, log } = context;
  const { driver, settings } = services;
  const reason: Reason = { type: 'resync', entry: null };
  await informers.whenSynced(signal);
  for (;;) {
    const listed = await attempt(
      () => listPublished(driver, settings.maxEntries, csiCall(services, { signal, reason })),
      isCsiError,
    );
    if (listed.failed) log.write('warn', `failed to ListVolumes: ${listed.error.message}`, { error: listed.error });
    for (const name of listed.failed ? [] : contradicted(services, listed.value)) {
      forced.add(name);
      queue.add(name, reason);
    }
    await clock.sleep(settings.reconcileSyncMs, signal, { background: true });
  }
}
