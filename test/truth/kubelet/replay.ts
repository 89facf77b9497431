// Plays a recording: the steps at their times, the writes of the other components as they were recorded, and our kubelet in
// the place of the real one.
import { SECOND_MS } from '../../../src/base/clock.ts';
import type { CsiCode, NodeCapability, NodeGetVolumeStatsResponse } from '../../../src/csi/driver.ts';
import { isApiError } from '../../../src/kube/api-error.ts';
import { type KubeObject, type Resource, keyFrom } from '../../../src/kube/object.ts';
import { Nodes } from '../../../src/kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../../src/kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../../src/kube/resources/pod.ts';
import { SERVED_KINDS } from '../../../src/kube/resources/served-kinds.ts';
import { VolumeAttachments } from '../../../src/kube/resources/volume-attachment.ts';
import { MemoryMounter } from '../../../src/kubelet/mounter/memory/memory.ts';
import { attachmentName } from '../../../src/volume/attachment-name.ts';
import { KubeletBench } from '../../kubelet/kubelet-bench.ts';
import { type KnownTimes, PhasedRandom, firstPeriodMs } from './phases.ts';
import { behaviourOf, knownTimesOf, relistPhaseOf } from './recorded-times.ts';
import { normalise } from './normalise.ts';
import { type Recording, type RecordedStep, type Transition, timesOf } from './recording.ts';
import { type SeenFile, filesOf } from './seen-files.ts';
import type { Stage } from './stage.ts';
import { type Action, ephemeralClaimActions, statefulSetActions } from './stand-ins.ts';

/** What was recorded last may come a little later here. */
const LINGER_S = 1;
/** How long the kubelet runs before the first step. */
const PREROLL_S = 40;

export interface ReplaySettings {
  /** Both nodes are processes of one machine with one mount table. */
  readonly sharedMounts?: boolean;
  /** How long containers took to start, where load hides it. */
  readonly startMs?: number;
  readonly csiVolumeHealth?: boolean;
}

export class Replay implements Stage {
  readonly recording: Recording;
  readonly bench: KubeletBench;
  readonly snapshots = new Map<string, readonly SeenFile[]>();
  /** Pods by name, the newest of a name last. */
  readonly pods = new Map<string, Pod[]>();
  readonly #settings: ReplaySettings;
  readonly #known: KnownTimes;
  readonly #startsAt: number;
  readonly #machine = new MemoryMounter();

  constructor(recording: Recording, settings: ReplaySettings = {}) {
    this.recording = recording;
    this.#settings = settings;
    const times = recording.steps.flatMap(({ at }) => (at === null ? [] : [at]));
    this.#startsAt = Math.min(0, ...times) - PREROLL_S;
    this.#known = knownTimesOf(recording);
    const now = (): number => this.bench.now;
    this.bench = new KubeletBench({ random: new PhasedRandom(now, this.#known), zeroMs: -this.#startsAt * SECOND_MS });
    for (const name of Object.keys(recording.nodes)) this.#addNode(name);
    for (const [name, driver] of Object.entries(recording.driver)) this.#addDriver(name, driver);
  }

  rootOf(node: string): string {
    return this.#settings.sharedMounts === true ? `/var/lib/${node}` : '/var/lib/kubelet';
  }

  #addNode(name: string): void {
    const nodeStatusMs = firstPeriodMs(this.#startsAt, this.#known.statusTicks[name]?.[0]);
    const syncTick = this.#known.syncs[0] ?? 0;
    this.bench.addNode(name, {
      labels: { 'kubernetes.io/hostname': name },
      behaviourOf: (pod) => ({ ...behaviourOf(this.recording, pod.metadata.name), ...this.#startOf() }),
      rootDirectory: this.rootOf(name),
      settings: { csiVolumeHealth: this.#settings.csiVolumeHealth === true },
      phases: {
        nodeStatusMs,
        relistMs: Math.round(frac(relistPhaseOf(this.recording, name) - this.#startsAt) * SECOND_MS),
        syncMs: Math.round(frac(syncTick - this.#startsAt) * SECOND_MS),
        leaseMs: 5000,
        populatorMs: 120,
        statsMs: Math.round(((((this.#known.stats[0] ?? 0) - this.#startsAt) % 60) + 60) * SECOND_MS) % 60_000,
      },
      ...(this.#settings.sharedMounts === true ? { sharedMounter: this.#machine } : {}),
    });
  }

  #startOf(): { readonly startMs?: number } {
    const { startMs } = this.#settings;
    return startMs === undefined ? {} : { startMs };
  }

  #addDriver(name: string, driver: Recording['driver'][string]): void {
    this.bench.addDriver(name, {
      capabilities: driver.nodeCapabilities as readonly NodeCapability[],
      ...(driver.maxVolumesPerNode === undefined ? {} : { maxVolumesPerNode: driver.maxVolumesPerNode }),
      sourceOf: (volumeId) => volumeId,
    });
    if (!driver.running.startsWith('before')) return;
    for (const node of Object.keys(this.recording.nodes)) this.bench.register(name, node);
  }

  async run(): Promise<this> {
    for (const node of Object.keys(this.recording.nodes)) this.bench.start(node);
    const actions = [...this.#played(), ...this.#steps()].toSorted((a, b) => a.at - b.at);
    for (const action of actions) {
      await this.bench.advanceTo(action.at);
      await action.perform();
    }
    await this.bench.advanceTo(this.recording.seconds + LINGER_S);
    return this;
  }

  // ---- steps

  #steps(): readonly Action[] {
    const before = this.#startsAt + 5;
    return this.recording.steps.map((step) => ({
      at: this.#timeOf(step) ?? before,
      perform: () => this.#perform(step),
    }));
  }

  /** A pod is made when it was placed, a kubelet works when it has started up. */
  #timeOf(step: RecordedStep): number | null {
    const { at } = step;
    if (at === null) return null;
    if (step.do === 'create' && step.object?.kind === 'Pod') {
      const [placed] = timesOf(this.recording.pods[step.object.name] ?? [], 'nodeName');
      return Math.max(at < 0 ? at : 0, placed ?? at);
    }
    return step.do === 'startKubelet' ? at + this.#bootOf(at) : at;
  }

  /** Until the plug-ins are asked, and a little before: a kubelet begins with its node. */
  #bootOf(at: number): number {
    const asked = this.recording.calls.find((call) => call.method === 'NodeGetInfo' && call.at > at);
    return asked === undefined || asked.at > at + 1.5 ? 0.45 : asked.at - at - 0.15;
  }

  async #perform(step: RecordedStep): Promise<void> {
    const { driver = '', node = this.recording.node } = step;
    switch (step.do) {
      case 'create':
        return this.#create(step);
      case 'delete':
        return this.#delete(step);
      case 'patch':
        return this.#patch(step);
      case 'snapshot':
        this.snapshots.set(step.label ?? '', await filesOf(this, this.recording.node));
        return undefined;
      case 'driverFault':
        return this.#fault(step);
      case 'driverFaultsCleared':
        return this.bench.drivers.get(driver)?.clearFaults();
      case 'driverStats':
        return this.bench.drivers.get(driver)?.setStats(step.volumePrefix ?? '', statsOf(step));
      case 'startDriver':
        return this.#startDriver(driver, node, step.flags ?? []);
      case 'killDriver':
        return this.bench.setDriverAlive(driver, node, false);
      case 'removeSocket':
        return this.#removeSocket(step, node);
      case 'stopKubelet':
        return step.at === null ? undefined : this.bench.stop(node);
      case 'startKubelet':
        return step.at === null ? undefined : this.bench.start(node);
      case 'apiUnreachable':
        return this.bench.setReachable(node, false);
      case 'apiReachable':
        return this.bench.setReachable(node, true);
      case 'hostFile':
      case 'hostCommand':
        return this.#onHost(step);
      // What others did is played from what was seen of it.
      case 'wait':
      case 'sleep':
      case 'note':
      case 'startSidecar':
      case 'stopSidecar':
        return undefined;
      default:
        throw new Error(`the player does not know how to ${step.do}`);
    }
  }

  async #create({ index = 0 }: RecordedStep): Promise<void> {
    const object = this.recording.objects[index];
    if (object === undefined) throw new Error(`no object ${index}`);
    if (object.kind === 'StatefulSet') return;
    if (object.kind === 'Pod') return this.createPod(object as Pod);
    await this.bench.cluster.create(resourceOf(object.kind), object);
    await this.#bind();
  }

  async createPod(manifest: Pod, name = manifest.metadata.name): Promise<void> {
    const placements = (this.recording.pods[name] ?? []).flatMap(({ nodeName }) =>
      typeof nodeName === 'string' ? [nodeName] : [],
    );
    const made = this.pods.get(name) ?? [];
    const nodeName = manifest.spec.nodeName ?? placements[made.length];
    const pod = await this.bench.cluster.create(Pods, {
      ...manifest,
      metadata: { ...manifest.metadata, name },
      spec: { serviceAccountName: 'default', ...manifest.spec, ...(nodeName === undefined ? {} : { nodeName }) },
    });
    this.pods.set(name, [...made, pod]);
  }

  /** What the persistent volume controller would do for volumes and claims that name each other. */
  async #bind(): Promise<void> {
    const { cluster } = this.bench;
    const volumes = await cluster.list(PersistentVolumes);
    for (const volume of volumes.items) {
      const { claimRef } = volume.spec;
      if (claimRef?.name === undefined || claimRef.uid !== undefined) continue;
      const key = keyFrom(claimRef.namespace, claimRef.name);
      const claim = await cluster.get(PersistentVolumeClaims, key).catch(() => undefined);
      if (claim === undefined) continue;
      const uid = { spec: { claimRef: { uid: claim.metadata.uid } } };
      await cluster.patch(PersistentVolumes, volume.metadata.name, { type: 'merge', body: uid });
      const status = { phase: 'Bound', accessModes: volume.spec.accessModes, capacity: volume.spec.capacity };
      await cluster.patch(PersistentVolumeClaims, key, { type: 'merge', body: { status } }, { subresource: 'status' });
      const finalizers = { metadata: { finalizers: ['kubernetes.io/pvc-protection'] } };
      await cluster.patch(PersistentVolumeClaims, key, { type: 'merge', body: finalizers });
    }
  }

  async #delete({ object, gracePeriodSeconds }: RecordedStep): Promise<void> {
    if (object === undefined) return;
    const resource = resourceOf(object.kind);
    const key =
      object.kind === 'VolumeAttachment' ? await this.#attachmentOf(object.of) : keyFrom(object.namespace, object.name);
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await this.bench.cluster.delete(resource, key, options).catch(ignoreMissing);
  }

  async #patch(step: RecordedStep): Promise<void> {
    const { object, patch = {}, subresource, result } = step;
    if (object === undefined || result === 'refused') return;
    const key =
      object.kind === 'VolumeAttachment' ? await this.#attachmentOf(object.of) : keyFrom(object.namespace, object.name);
    const options = subresource === undefined ? {} : { subresource };
    await this.bench.cluster
      .patch(resourceOf(object.kind), key, { type: 'merge', body: patch }, options)
      .catch(ignoreMissing);
  }

  async #attachmentOf(of: NonNullable<RecordedStep['object']>['of']): Promise<string> {
    const volume = await this.bench.cluster.get(PersistentVolumes, of?.persistentVolume ?? '');
    return attachmentNameOf(volume, of?.node ?? '');
  }

  #fault({ driver = '', fault }: RecordedStep): void {
    if (fault === undefined || fault.method.startsWith('Controller')) return;
    const { code, ...rest } = fault;
    this.bench.drivers.get(driver)?.setFault({ ...rest, ...(code === undefined ? {} : { code: csiCodeOf(code) }) });
  }

  #startDriver(driver: string, node: string, flags: readonly string[]): void {
    const scripted = this.bench.drivers.get(driver);
    const max = flags[flags.indexOf('-max') + 1];
    if (scripted !== undefined && flags.includes('-max')) scripted.maxVolumesPerNode = Number(max);
    scripted?.clearFaults();
    this.bench.setDriverAlive(driver, node, true);
    this.bench.register(driver, node);
  }

  #removeSocket({ driver = '', which, path = '' }: RecordedStep, node: string): void {
    if (which === 'registration') return this.bench.node(node).plugins.vanish(driver);
    // Nobody listens and there is no file: every call says so.
    const cause = `transport: Error while dialing: dial unix ${path.replace('<root>', this.rootOf(node))}: connect: no such file or directory`;
    const message = `connection error: desc = "${cause}"`;
    this.bench.setDriverAlive(driver, node, true);
    this.bench.drivers.get(driver)?.setFault({ method: 'NodeGetCapabilities', code: 'UNAVAILABLE', message });
    return undefined;
  }

  async #onHost({ op, path = '', mode, gid, args = [] }: RecordedStep): Promise<void> {
    const { mounter } = this.bench.node(this.recording.node);
    const [command, ...rest] = args;
    const target = this.realPath(rest.at(-1) ?? path);
    if (command === 'umount') return mounter.unmount(target);
    if (command === 'mount') return this.#mountByHand(mounter, rest);
    if (command === 'mkdir') return mounter.makeDirectory(target, 0o755);
    if (command === 'rm' || op === 'remove') return removeTree(mounter, target);
    const [, volume = '', file = ''] = /^<volume:([^>]*)>\/?(.*)$/.exec(path) ?? [];
    const files = mounter.volume(volume);
    const before = files.get(file) ?? { mode: 0o644, gid: 0 };
    files.set(file, { mode: mode === undefined ? before.mode : Number(mode), gid: gid ?? before.gid });
  }

  /** `mount --bind FROM TO`: what is mounted at FROM is then mounted twice. */
  async #mountByHand(mounter: MemoryMounter, args: readonly string[]): Promise<void> {
    const [from = '', target = ''] = args.filter((arg) => !arg.startsWith('-')).map((arg) => this.realPath(arg));
    const mounts = await mounter.mounts();
    const source = mounts.find((mount) => mount.target === from)?.source ?? from;
    await mounter.makeDirectory(target, 0o755);
    await mounter.mount({ source, target, fsType: '', options: ['bind'] });
  }

  /** A path of the recording as it is here. */
  realPath(path: string): string {
    const withRoot = path.replace('<root>', this.rootOf(this.recording.node));
    return withRoot.replaceAll(
      /<uid:([^>@]*)(@[^>]*)?>/g,
      (_text, name: string) => this.pods.get(name)?.at(-1)?.metadata.uid ?? '',
    );
  }

  // ---- what others wrote

  #played(): readonly Action[] {
    const others = [...statefulSetActions(this), ...ephemeralClaimActions(this)];
    return [...this.#attachments(), ...this.#attachedLists(), ...this.#resizer(), ...others];
  }

  /** What was there before the recording came with the first pod. */
  #when(at: Transition['at']): number {
    if (at !== 'before') return at;
    const pods = this.recording.steps.filter((step) => ['Pod', 'StatefulSet'].includes(step.object?.kind ?? ''));
    return (pods[0]?.at ?? this.#startsAt + 10) + 0.4;
  }

  #attachments(): readonly Action[] {
    const byHand = this.recording.steps.some(({ object }) => object?.kind === 'VolumeAttachment');
    return Object.values(this.recording.volume_attachments).flatMap((transitions) => {
      const [first] = transitions;
      const volume = String(first?.['pv']);
      const node = String(first?.['node']);
      return transitions.flatMap((each): readonly Action[] => {
        const at = this.#when(each.at);
        const make = each === first ? [{ at, perform: () => this.#createAttachment(volume, node) }] : [];
        const end = each['gone'] === true ? [{ at, perform: () => this.#deleteAttachment(volume, node) }] : [];
        const { attached, attachmentMetadata, attachError } = each;
        const status = { attached, attachmentMetadata, attachError };
        const isNews = !byHand && Object.values(status).some((value) => value !== undefined && value !== false);
        return [
          ...make,
          ...(isNews ? [{ at, perform: () => this.#patchAttachment(volume, node, status) }] : []),
          ...end,
        ];
      });
    });
  }

  async #createAttachment(volume: string, node: string): Promise<void> {
    const { cluster } = this.bench;
    const found = await cluster.get(PersistentVolumes, volume);
    await cluster.create(VolumeAttachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: attachmentNameOf(found, node) },
      spec: { attacher: found.spec.csi?.driver ?? '', nodeName: node, source: { persistentVolumeName: volume } },
    });
    this.#attachmentNames.set(`${volume}@${node}`, attachmentNameOf(found, node));
  }

  readonly #attachmentNames = new Map<string, string>();

  async #patchAttachment(volume: string, node: string, status: object): Promise<void> {
    const name = this.#attachmentNames.get(`${volume}@${node}`) ?? '';
    await this.bench.cluster.patch(
      VolumeAttachments,
      name,
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  }

  async #deleteAttachment(volume: string, node: string): Promise<void> {
    const name = this.#attachmentNames.get(`${volume}@${node}`) ?? '';
    await this.bench.cluster.delete(VolumeAttachments, name).catch(ignoreMissing);
  }

  #attachedLists(): readonly Action[] {
    return Object.entries(this.recording.node_status).flatMap(([node, transitions]) =>
      transitions.flatMap(({ at, volumesAttached, Ready }) => {
        const attached = Array.isArray(volumesAttached)
          ? { volumesAttached: volumesAttached.map((name: string) => ({ name, devicePath: '' })) }
          : {};
        const lost =
          Ready === 'Unknown'
            ? { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] }
            : {};
        const status = { ...attached, ...lost };
        if (Object.keys(status).length === 0) return [];
        const patch = { type: 'strategic' as const, body: { status } };
        return [
          {
            at: this.#when(at),
            perform: async () => void (await this.bench.cluster.patch(Nodes, node, patch, { subresource: 'status' })),
          },
        ];
      }),
    );
  }

  /** Only what the resizer wrote: the rest is the kubelet's. */
  #resizer(): readonly Action[] {
    const claims = Object.entries(this.recording.claims).flatMap(([name, transitions]) =>
      transitions.flatMap((each) => {
        const status = resizerStatusOf(each);
        if (status === undefined) return [];
        return [{ at: this.#when(each.at), perform: () => this.#patchClaim(name, status) }];
      }),
    );
    const volumes = Object.entries(this.recording.volumes).flatMap(([name, transitions]) =>
      transitions.flatMap(({ at, capacity }) => {
        if (at === 'before' || typeof capacity !== 'string') return [];
        const body = { spec: { capacity: { storage: capacity } } };
        const perform = async (): Promise<void> =>
          void (await this.bench.cluster.patch(PersistentVolumes, name, { type: 'merge', body }).catch(ignoreMissing));
        return [{ at, perform }];
      }),
    );
    return [...claims, ...volumes];
  }

  async #patchClaim(name: string, status: object): Promise<void> {
    const namespace = this.recording.objects.find(({ kind }) => kind === 'Namespace')?.metadata.name ?? '';
    const patch = { type: 'strategic' as const, body: { status } };
    await this.bench.cluster.patch(PersistentVolumeClaims, `${namespace}/${name}`, patch, { subresource: 'status' });
  }

  /** Text of ours in the words of the recordings. */
  normalised(text: string): string {
    return normalise(text, this);
  }
}

const frac = (value: number): number => value - Math.floor(value);

const RESIZER_STATES: readonly unknown[] = ['ControllerResizeInProgress', 'NodeResizePending'];

function resizerStatusOf(each: Transition): object | undefined {
  const state = each['allocatedResourceStatuses'];
  if (each.at === 'before' || !RESIZER_STATES.includes(state)) return undefined;
  const conditions = Object.entries(each).flatMap(([field, value]) => {
    const type = field.replace(/^condition /, '');
    return field.startsWith('condition ') && typeof value === 'string'
      ? [{ type, status: 'True', message: value.slice(5) }]
      : [];
  });
  const allocated = each['allocatedResources'];
  return {
    allocatedResourceStatuses: { storage: state },
    ...(typeof allocated === 'string' ? { allocatedResources: { storage: allocated } } : {}),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function attachmentNameOf(volume: PersistentVolume, node: string): string {
  return attachmentName({ handle: volume.spec.csi?.volumeHandle ?? '', driver: volume.spec.csi?.driver ?? '', node });
}

function resourceOf(kind: string): Resource<KubeObject> {
  const found = SERVED_KINDS.find(({ resource }) => resource.kind === kind);
  if (found === undefined) throw new Error(`no kind ${kind}`);
  return found.resource;
}

function ignoreMissing(error: unknown): undefined {
  if (isApiError(error, 'NotFound')) return undefined;
  throw error;
}

/** `InvalidArgument` as our contract spells it. */
function csiCodeOf(name: string): CsiCode {
  if (name === 'Canceled') return 'CANCELLED';
  return name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase() as CsiCode;
}

function statsOf({ response }: RecordedStep): NodeGetVolumeStatsResponse {
  const usage = (response?.usage ?? []).map((each) => ({
    unit: each['unit'] as 'BYTES' | 'INODES',
    total: BigInt(each['total'] ?? 0),
    used: BigInt(each['used'] ?? 0),
    available: BigInt(each['available'] ?? 0),
  }));
  const condition: { abnormal?: boolean; message?: string } | undefined = response?.volume_condition;
  return {
    usage,
    ...(condition === undefined
      ? {}
      : { volumeCondition: { abnormal: condition.abnormal === true, message: condition.message ?? '' } }),
  };
}

async function removeTree(mounter: MemoryMounter, path: string): Promise<void> {
  for (const name of await mounter.list(path)) await removeTree(mounter, `${path}/${name}`);
  const stat = await mounter.stat(path);
  if (stat?.kind === 'directory') await mounter.removeDirectory(path);
  else await mounter.removeFile(path);
}
