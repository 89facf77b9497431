// The controller that binds claims to volumes, hands claims to provisioners and reclaims volumes whose claim is gone.
// One worker for claims and one for volumes: two claims are never matched at the same time, so no volume is given twice.
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import { keyOf } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { type Component, type ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { KeyedOperations } from '../../runtime/operation-executor.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import { isDefaultClass } from '../../volume/default-class.ts';
import { profileOf } from './profile.ts';
import { Provisioning } from './provisioning.ts';
import { Reclaiming } from './reclaiming.ts';
import { ResyncPlan } from './resync-plan.ts';
import { StorageCache } from './storage-cache.ts';
import { ClaimSync } from './sync-claim.ts';
import { VolumeSync } from './sync-volume.ts';
import { IN_TREE_PLUGINS, type VolumePlugin } from './volume-plugin.ts';
import { WaitLog } from '../../runtime/wait-log.ts';

const NAME = 'persistentvolume-controller';

/** By upstream's flags; what is absent has upstream's default. */
export interface PersistentVolumeSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--pvclaimbinder-sync-period` */
  readonly syncPeriodMs?: DurationMs;
  /** `--enable-dynamic-provisioning` */
  readonly enableDynamicProvisioning?: boolean;
  readonly plugins?: readonly VolumePlugin[];
  /** Visits every key at each resync, as upstream does. It shows nothing else than visiting those of the plan. */
  readonly resyncsAll?: boolean;
}

/** kubernetes:pkg/controller/volume/persistentvolume/config/v1alpha1/defaults.go */
const SYNC_PERIOD_MS = 15 * SECOND_MS;

export function persistentVolumeController(settings: PersistentVolumeSettings = {}): Component {
  return { name: NAME, start: (context) => start(context, settings) };
}

function start(context: ComponentContext, settings: PersistentVolumeSettings): void {
  const informers = informerSet(context);
  const volumes = informers.of(PersistentVolumes);
  const claims = informers.of(PersistentVolumeClaims);
  const classes = informers.of(StorageClasses, { default: (each) => (isDefaultClass(each) ? ['true'] : []) });
  const pods = informers.of(Pods, { claim: claimKeysOf });

  const { plugins = IN_TREE_PLUGINS, enableDynamicProvisioning = true } = settings;
  const profile = profileOf(settings.profile);
  const plan = new ResyncPlan();
  const cache: StorageCache = new StorageCache({
    claim: (key) => plan.claimChanged(key, cache),
    volume: (name) => plan.volumeChanged(name, cache),
  });
  const recorder = new EventRecorder({ ...context, component: NAME });
  const operations = new KeyedOperations(context);
  const shared = { name: NAME, cache, plan, claims, recorder, profile };
  const { clock, log } = context;

  const claimSync = new ClaimSync({
    ...shared,
    classes,
    pods,
    provisioning: new Provisioning({ ...shared, classes, plugins, operations, clock, enableDynamicProvisioning }),
    waits: new WaitLog(context, { actor: NAME, kind: PersistentVolumeClaims.kind }),
    enqueueVolume: (name, reason) => volumeLoop.queue.add(name, reason),
  });
  const volumeSync = new VolumeSync({
    ...shared,
    volumes,
    reclaiming: new Reclaiming({ ...shared, pods, plugins, operations, log }),
    enqueueClaim: (key, reason) => claimLoop.queue.add(key, reason),
  });

  const filled = fillCache();
  const ready = { whenSynced: () => filled };
  const loop = { workers: 1, context, waitFor: [ready] };
  const claimLoop = startController({
    ...loop,
    reconciler: claimSync,
    triggers: [trigger(claims, ({ object }) => [keyOf(object)])],
  });
  const volumeLoop = startController({
    ...loop,
    reconciler: volumeSync,
    triggers: [trigger(volumes, ({ object }) => [keyOf(object)])],
  });
  informers.start();

  /** Before the first sync: a claim must not seem lost because its volume has not been looked at yet. */
  async function fillCache(): Promise<void> {
    await informers.whenSynced(context.signal);
    for (const volume of volumes.all()) cache.storeVolume(volume);
    for (const claim of claims.all()) cache.storeClaim(claim);
    every(context, settings.syncPeriodMs ?? SYNC_PERIOD_MS, resync);
  }

  /** Claims first, as upstream. */
  function resync(): void {
    const all = settings.resyncsAll === true;
    const claimKeys = all ? [...claims.all()].map(keyOf).toSorted() : plan.claims();
    const volumeKeys = all ? [...volumes.all()].map(keyOf).toSorted() : plan.volumes();
    for (const key of claimKeys) claimLoop.queue.add(key, { type: 'resync', entry: null });
    for (const key of volumeKeys) volumeLoop.queue.add(key, { type: 'resync', entry: null });
  }
}

/** An idle heartbeat: it does not keep a simulated world from being quiet. */
function every(context: ComponentContext, period: DurationMs, run: () => void): void {
  const { clock, signal } = context;
  if (signal.aborted) return;
  const timer = clock.after(
    period,
    () => {
      signal.removeEventListener('abort', cancel);
      run();
      every(context, period, run);
    },
    { background: true },
  );
  const cancel = (): void => timer.cancel();
  signal.addEventListener('abort', cancel, { once: true });
}
