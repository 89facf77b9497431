// Plays one sync against a server: objects as vectors write them down, then what was written, said and stored.
import { type Log } from '../../src/base/log.ts';
import { annotationOf } from '../../src/kube/annotations.ts';
import { type KubeObject, type Resource, keyFrom } from '../../src/kube/object.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { type StorageClass, StorageClasses } from '../../src/kube/resources/storage-class.ts';
import { type Turn } from '../../src/runtime/controller.ts';
import { Indexer, type Indexes } from '../../src/runtime/indexer.ts';
import { type Lister } from '../../src/runtime/informer.ts';
import { KeyedOperations } from '../../src/runtime/operation-executor.ts';
import { type Recorder } from '../../src/runtime/recorder.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { accessModesText } from '../../src/volume/access-modes.ts';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
} from '../../src/volume/annotations.ts';
import { claimKeysOf } from '../../src/volume/claim-of-pod.ts';
import { isDefaultClass } from '../../src/volume/default-class.ts';
import {
  type ClaimParts,
  type ClassParts,
  type PodParts,
  type VolumeParts,
  aClaim,
  aClass,
  aPod,
  aVolume,
} from '../../src/volume/makers.ts';
import { profileOf } from '../../src/controlplane/persistentvolume/profile.ts';
import { Provisioning } from '../../src/controlplane/persistentvolume/provisioning.ts';
import { Reclaiming } from '../../src/controlplane/persistentvolume/reclaiming.ts';
import { ResyncPlan } from '../../src/controlplane/persistentvolume/resync-plan.ts';
import { StorageCache } from '../../src/controlplane/persistentvolume/storage-cache.ts';
import { ClaimSync } from '../../src/controlplane/persistentvolume/sync-claim.ts';
import { VolumeSync } from '../../src/controlplane/persistentvolume/sync-volume.ts';
import { IN_TREE_PLUGINS, type VolumePlugin } from '../../src/controlplane/persistentvolume/volume-plugin.ts';
import { WaitLog } from '../../src/runtime/wait-log.ts';

import { StorageWorld } from './storage-world.ts';

const NAMESPACE = 'default';
const silentLog: Log = { write: () => undefined };

export interface Given {
  readonly volumes?: readonly VolumeParts[];
  readonly claims?: readonly ClaimParts[];
  readonly classes?: readonly ClassParts[];
  readonly pods?: readonly PodParts[];
}

export interface BenchOptions {
  readonly plugins?: readonly VolumePlugin[];
  /** Off: objects that the server would refuse can be stored. */
  readonly validates?: boolean;
}

const CONTROLLER = 'controller';

export class SyncBench {
  readonly world: StorageWorld;
  readonly #plugins: readonly VolumePlugin[];
  /** Real uids of claims by the uid that the vector calls them. */
  readonly #uids = new Map<string, string>();
  /** `Normal FailedBinding on c: text` */
  readonly events: string[] = [];
  readonly enqueued: string[] = [];
  readonly plan = new ResyncPlan();
  readonly cache: StorageCache = new StorageCache({
    claim: (key) => this.plan.claimChanged(key, this.cache),
    volume: (name) => this.plan.volumeChanged(name, this.cache),
  });
  readonly #operations: KeyedOperations;

  constructor({ plugins = IN_TREE_PLUGINS, validates = true }: BenchOptions = {}) {
    this.world = new StorageWorld({ validates });
    this.#plugins = plugins;
    const signal = new AbortController().signal;
    this.#operations = new KeyedOperations({ clock: this.world.clock, signal, log: silentLog });
  }

  /** What the controller wrote: `PV v status`, `delete PV v`. */
  writes(): readonly string[] {
    return this.world.writesOf(CONTROLLER).map(({ text }) => {
      const short = text.replace('persistentvolumeclaims default/', 'PVC ').replace('persistentvolumes ', 'PV ');
      return short.replace(/^update /, '');
    });
  }

  /** Claims first: volumes name them by their real uid. */
  async given({ volumes = [], claims = [], classes = [], pods = [] }: Given): Promise<void> {
    for (const parts of classes) await this.world.create(StorageClasses, aClass(parts));
    for (const parts of claims) {
      const stored = await this.world.create(PersistentVolumeClaims, aClaim(parts));
      this.#uids.set(parts.uid ?? 'u', stored.metadata.uid);
    }
    for (const parts of volumes) {
      const [name = '', uid] = (parts.claim ?? '').split('/');
      const claim = uid === undefined ? {} : { claim: `${name}/${this.#uids.get(uid) ?? uid}` };
      await this.world.create(PersistentVolumes, aVolume({ ...parts, ...claim }));
    }
    for (const parts of pods) await this.world.create(Pods, aPod(parts));
  }

  /** Fills the controller's cache as it is at start. */
  async fillCache(): Promise<void> {
    for (const volume of (await this.world.user.list(PersistentVolumes)).items) this.cache.storeVolume(volume);
    for (const claim of (await this.world.user.list(PersistentVolumeClaims)).items) this.cache.storeClaim(claim);
  }

  async syncClaim(name: string): Promise<void> {
    const parts = await this.#parts();
    await new ClaimSync(parts).reconcile(keyFrom(NAMESPACE, name), this.#turn());
    await this.#settle();
  }

  /** `informed`: whether the informer knows the claims that the server has. */
  async syncVolume(name: string, { informed = true } = {}): Promise<void> {
    const parts = await this.#parts();
    const claims = informed ? parts.claims : listerOf<PersistentVolumeClaim>([]);
    await new VolumeSync({ ...parts, claims }).reconcile(name, this.#turn());
    await this.#settle();
  }

  /** Every volume and claim in the words of the vectors, by name. */
  async stored(): Promise<readonly string[]> {
    const names = new Map([...this.#uids].map(([called, uid]) => [uid, called]));
    const { items: volumes } = await this.world.user.list(PersistentVolumes);
    const { items: claims } = await this.world.user.list(PersistentVolumeClaims);
    return [...volumes.map((each) => volumeText(each, names)), ...claims.map(claimText)];
  }

  #turn(): Turn {
    return {
      cluster: this.world.access.as(CONTROLLER),
      signal: new AbortController().signal,
      reason: { type: 'started', entry: null },
    };
  }

  /** Operations run beside the sync. */
  async #settle(): Promise<void> {
    await this.world.wait(0);
  }

  async #parts() {
    const { clock, user } = this.world;
    const plugins = this.#plugins;
    const list = async <T extends KubeObject>(resource: Resource<T>, indexes: Indexes<T> = {}) =>
      listerOf((await user.list(resource)).items, indexes);
    const claims = await list<PersistentVolumeClaim>(PersistentVolumeClaims);
    const volumes = await list<PersistentVolume>(PersistentVolumes);
    const classes = await list<StorageClass>(StorageClasses, {
      default: (each) => (isDefaultClass(each) ? ['true'] : []),
    });
    const pods = await list<Pod>(Pods, { claim: claimKeysOf });
    const recorder = this.#recorder();
    const shared = {
      name: 'test',
      cache: this.cache,
      plan: this.plan,
      claims,
      volumes,
      classes,
      pods,
      recorder,
      profile: profileOf(),
    };
    const working = { ...shared, plugins, operations: this.#operations, clock, log: silentLog };
    return {
      ...shared,
      provisioning: new Provisioning({ ...working, enableDynamicProvisioning: true }),
      reclaiming: new Reclaiming(working),
      waits: new WaitLog({ clock, timeline: new RecordedTimeline() }, { actor: 'test', kind: 'PersistentVolumeClaim' }),
      enqueueClaim: (key: string) => void this.enqueued.push(`claim ${key}`),
      enqueueVolume: (name: string) => void this.enqueued.push(`volume ${name}`),
    };
  }

  #recorder(): Recorder {
    const recorder: Recorder = {
      event: (about, type, reason, message) =>
        void this.events.push(`${type} ${reason} on ${about.metadata.name}: ${message}`),
      via: () => recorder,
    };
    return recorder;
  }
}

function listerOf<T extends KubeObject>(items: readonly T[], indexes: Indexes<T> = {}): Lister<T> {
  const content = new Indexer<T>(indexes);
  for (const item of items) content.set(item);
  return {
    synced: true,
    get: (key) => content.get(key),
    all: () => content.all(),
    by: (name, value) => content.by(name, value),
  };
}

const marksOf = (object: KubeObject): string => {
  const short = [
    [BOUND_BY_CONTROLLER, 'BBC'],
    [BIND_COMPLETED, 'BC'],
    [PROVISIONED_BY, 'DP'],
    [STORAGE_PROVISIONER, 'SP'],
  ] as const;
  return short.map(([key, mark]) => (annotationOf(object, key) === undefined ? '' : ` ${mark}`)).join('');
};

/** `PV v 1Gi c/u Bound BBC`, with the message of the status at the end. */
function volumeText(volume: PersistentVolume, uids: ReadonlyMap<string, string>): string {
  const { claimRef, capacity, storageClassName } = volume.spec;
  const uid = claimRef?.uid === undefined ? '' : `/${uids.get(claimRef.uid) ?? claimRef.uid}`;
  const claim = claimRef === undefined ? '-' : `${claimRef.name ?? ''}${uid}`;
  const message = volume.status.message === undefined ? '' : ` (${volume.status.message})`;
  const className = storageClassName === undefined ? '' : ` ${storageClassName}`;
  const phase = volume.status.phase ?? '';
  return `PV ${volume.metadata.name} ${capacity?.['storage'] ?? ''} ${claim} ${phase}${className}${marksOf(volume)}${message}`;
}

/** `PVC c 1Gi v Bound BBC BC cap=1Gi RWO,ROX`. */
function claimText(claim: PersistentVolumeClaim): string {
  const { volumeName = '-', resources, storageClassName } = claim.spec;
  const { phase = '', capacity, accessModes } = claim.status;
  const className = storageClassName === undefined ? '' : ` ${storageClassName === '' ? '""' : storageClassName}`;
  const status = capacity === undefined ? '' : ` cap=${capacity['storage'] ?? ''}`;
  const modes = accessModes === undefined ? '' : ` ${accessModesText(accessModes)}`;
  const size = resources.requests?.['storage'] ?? '';
  return `PVC ${claim.metadata.name} ${size} ${volumeName} ${phase}${className}${marksOf(claim)}${status}${modes}`;
}
