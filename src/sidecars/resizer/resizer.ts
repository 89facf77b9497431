// external-resizer: grows the volumes of claims that ask for more, and changes the attributes of volumes, through one driver.
// It meets the other components only in claims, volumes, classes and pods. external-resizer:cmd/csi-resizer/main.go
import { SECOND_MS } from '../../base/clock.ts';
import { askDriverCapabilities, askNodeCapabilities } from '../../csi/capabilities.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import type { ControllerCapability, CsiDriver } from '../../csi/driver.ts';
import { keyFrom, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Reconciler, startController, trigger } from '../../runtime/controller.ts';
import type { Change } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { supervise } from '../../runtime/supervise.ts';
import { isAttributesNews, isSizeNews } from './claim-news.ts';
import type { Services } from './services.ts';
import { DEFAULT_RESIZER_SETTINGS, type ResizerSettings } from './settings.ts';
import { AttributesSync } from './sync-attributes.ts';
import { SizeSync } from './sync-size.ts';

export interface ResizerOptions {
  readonly driver: CsiDriver;
  readonly settings?: Partial<ResizerSettings>;
}

/** Between two questions to a driver that does not answer yet. csi-lib-utils:rpc/common.go */
const PROBE_INTERVAL_MS = SECOND_MS;
/** The node service is asked through the controller's own socket, which belongs to no node. */
const NO_NODE = '';

/** Both controllers wait and log under the name of the component. */
const nameOf = ({ name }: CsiDriver): string => `external-resizer/${name}`;

export function resizer({ driver, settings }: ResizerOptions): Component {
  const name = nameOf(driver);
  const all = { ...DEFAULT_RESIZER_SETTINGS, ...settings };
  return { name, start: (context) => supervise(name, run(driver, all, context), context.log) };
}

interface Abilities {
  readonly controller: ReadonlySet<ControllerCapability>;
  readonly resizes: boolean;
}

async function run(driver: CsiDriver, settings: ResizerSettings, context: ComponentContext): Promise<void> {
  const { controller, resizes } = await waitForDriver(driver, settings, context);
  const modifies = controller.has('MODIFY_VOLUME');
  if (!resizes && !modifies) {
    context.log.write('error', `CSI driver ${driver.name} does not support resize nor modify`);
    return;
  }
  const informers = new InformerFactory(context, { resyncMs: settings.resyncPeriodMs });
  const { clock, log } = context;
  const services: Services = {
    driver,
    capabilities: controller,
    settings,
    clock,
    log,
    recorder: new EventRecorder({ ...context, component: `external-resizer ${driver.name}` }),
    claims: informers.of(PersistentVolumeClaims),
    volumes: informers.of(PersistentVolumes),
  };
  if (resizes) startResizing(services, context, informers);
  if (modifies) startModifying(services, context, informers);
  informers.start();
}

/** Nothing is done before the driver has answered: what it can do decides what is done at all. */
async function waitForDriver(
  driver: CsiDriver,
  settings: ResizerSettings,
  { clock, signal, log }: ComponentContext,
): Promise<Abilities> {
  const call = { signal, deadlineMs: settings.timeoutMs };
  for (;;) {
    const asked = await attempt(async () => {
      const { ready = true } = await driver.identity.probe({}, call);
      if (!ready) return undefined;
      const { controller } = await askDriverCapabilities(driver, call);
      if (controller.has('EXPAND_VOLUME')) return { controller, resizes: true };
      const node = await askNodeCapabilities(driver, NO_NODE, call);
      return { controller, resizes: node.has('EXPAND_VOLUME') };
    }, isCsiError);
    if (!asked.failed && asked.value !== undefined) return asked.value;
    log.write('info', `driver ${driver.name} is not ready`, asked.failed ? { error: asked.error } : {});
    await clock.sleep(PROBE_INTERVAL_MS, signal);
  }
}

function startResizing(services: Services, context: ComponentContext, informers: InformerFactory): void {
  const inUse = services.settings.handleVolumeInuseError ? informers.of(Pods, { claim: claimsInUse }) : undefined;
  const sync = new SizeSync(services, inUse);
  const forget = startClaims(sync, isSizeNews, { services, context, informers });
  informers.of(PersistentVolumeClaims).subscribe(({ type, object }) => {
    if (type !== 'deleted') return;
    forget(object);
    sync.forget(object);
  });
}

function startModifying(services: Services, context: ComponentContext, informers: InformerFactory): void {
  const sync = new AttributesSync(services, informers.of(VolumeAttributesClasses));
  const forget = startClaims(sync, isAttributesNews, { services, context, informers });
  informers.of(PersistentVolumeClaims).subscribe(({ type, object }) => {
    if (type === 'added') sync.meet(object);
    if (type !== 'deleted') return;
    forget(object);
    sync.forget(object);
  });
}

interface Surroundings {
  readonly services: Services;
  readonly context: ComponentContext;
  readonly informers: InformerFactory;
}

/** Answers what resets the back-off of a claim that is gone. */
function startClaims(
  sync: Pick<Reconciler, 'reconcile'>,
  isNews: (change: Change<PersistentVolumeClaim>) => boolean,
  { services: { driver, settings }, context, informers }: Surroundings,
): (claim: PersistentVolumeClaim) => void {
  const claims = informers.of(PersistentVolumeClaims);
  const { retryIntervalStartMs: initialMs, retryIntervalMaxMs: maxMs } = settings;
  const { queue } = startController({
    reconciler: {
      name: nameOf(driver),
      kind: PersistentVolumeClaims.kind,
      reconcile: (key, turn) => sync.reconcile(key, turn),
    },
    triggers: [trigger(claims, (change) => (isNews(change) ? [keyOf(change.object)] : []))],
    workers: settings.workers,
    context,
    queueLimits: { perKey: { initialMs, factor: 2, maxMs } },
    waitFor: [informers],
  });
  return (claim) => queue.forget(keyOf(claim));
}

/** Index function for pods that are not over: the claims they name. Generic ephemeral volumes do not count, as upstream. */
function claimsInUse({ metadata, spec, status }: Pod): readonly string[] {
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return [];
  const names = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
  return [...new Set(names)].map((name) => keyFrom(metadata.namespace, name));
}
