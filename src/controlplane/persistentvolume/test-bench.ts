// Plays one sync against a server: objects as vectors write them down, then what was written, said and stored.
import { type SteppedClock } from '../../base/virtual-clock.ts';
import { type Log } from '../../base/log.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { type Cluster, type Draft } from '../../kube/cluster.ts';
import { type KubeObject, type Resource, keyFrom } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type StorageClass, StorageClasses } from '../../kube/resources/storage-class.ts';
import { type Turn } from '../../runtime/controller.ts';
import { Indexer, type Indexes } from '../../runtime/indexer.ts';
import { type Lister } from '../../runtime/informer.ts';
import { KeyedOperations } from '../../runtime/operation-executor.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import { RecordedTimeline } from '../../runtime/timeline.ts';
import { accessModesText } from '../../volume/access-modes.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, PROVISIONED_BY, STORAGE_PROVISIONER } from '../../volume/annotations.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import { isDefaultClass } from '../../volume/default-class.ts';
import {
  type ClaimParts,
  type ClassParts,
  type PodParts,
  type VolumeParts,
  aClaim,
  aClass,
  aPod,
  aVolume,
} from '../../volume/makers.ts';
import { profileOf } from './profile.ts';
import { Provisioning } from './provisioning.ts';
import { Reclaiming } from './reclaiming.ts';
import { ResyncPlan } from './resync-plan.ts';
import { StorageCache } from './storage-cache.ts';
import { ClaimSync } from './sync-claim.ts';
import { VolumeSync } from './sync-volume.ts';
import { IN_TREE_PLUGINS, type VolumePlugin } from './volume-plugin.ts';
import { WaitLog } from './wait-log.ts';

const NAMESPACE = 'default';
const silentLog: Log = { write: () => undefined };

export interface Given {
  readonly volumes?: readonly VolumeParts[];
  readonly claims?: readonly ClaimParts[];
  readonly classes?: readonly ClassParts[];
  readonly pods?: readonly PodParts[];
}

export interface BenchOptions {
  readonly clock: SteppedClock;
  /** As the controller, and as whoever sets the stage. */
  readonly cluster: Cluster;
  readonly admin: Cluster;
  readonly plugins?: readonly VolumePlugin[];
}

export class SyncBench {
  readonly #options: BenchOptions;
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

  constructor(options: BenchOptions) {
    this.#options = options;
    const signal = new AbortController().signal;
    this.#operations = new KeyedOperations({ clock: options.clock, signal, log: silentLog });
  }

  /** Claims first: volumes name them by their real uid. */
  async given({ volumes = [], claims = [], classes = [], pods = [] }: Given): Promise<void> {
    for (const parts of classes) await this.#create(StorageClasses, aClass(parts));
    for (const parts of claims) {
      const stored = await this.#create(PersistentVolumeClaims, aClaim(parts));
      this.#uids.set(parts.uid ?? 'u', stored.metadata.uid);
    }
    for (const parts of volumes) {
      const [name = '', uid] = (parts.claim ?? '').split('/');
      const claim = uid === undefined ? {} : { claim: `${name}/${this.#uids.get(uid) ?? uid}` };
      await this.#create(PersistentVolumes, aVolume({ ...parts, ...claim }));
    }
    for (const parts of pods) await this.#create(Pods, aPod(parts));
  }

  /** Fills the controller's cache as it is at start. */
  async fillCache(): Promise<void> {
    for (const volume of (await this.#options.admin.list(PersistentVolumes)).items) this.cache.storeVolume(volume);
    for (const claim of (await this.#options.admin.list(PersistentVolumeClaims)).items) this.cache.storeClaim(claim);
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
    const { items: volumes } = await this.#options.admin.list(PersistentVolumes);
    const { items: claims } = await this.#options.admin.list(PersistentVolumeClaims);
    return [...volumes.map((each) => volumeText(each, names)), ...claims.map(claimText)];
  }

  async #create<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T> {
    const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, ...metadata } = object.metadata;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a made object without what the server fills in is a draft
    const stored = await this.#options.admin.create(resource, { ...object, metadata } as unknown as Draft<T>);
    if (!('status' in object)) return stored;
    return await this.#options.admin.update(resource, { ...stored, status: object.status }, { subresource: 'status' });
  }

  #turn(): Turn {
    return {
      cluster: this.#options.cluster,
      signal: new AbortController().signal,
      reason: { type: 'started', entry: null },
    };
  }

  /** Operations run beside the sync. */
  async #settle(): Promise<void> {
    await this.#options.clock.advanceTo(this.#options.clock.now());
  }

  async #parts() {
    const { admin, clock, plugins = IN_TREE_PLUGINS } = this.#options;
    const list = async <T extends KubeObject>(resource: Resource<T>, indexes: Indexes<T> = {}) =>
      listerOf((await admin.list(resource)).items, indexes);
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
