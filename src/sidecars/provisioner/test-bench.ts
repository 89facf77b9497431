// One provisioner around a memory driver and an API server, in virtual time. The bench plays the PV controller where a
// test needs it: it is the one that gives claims to the provisioner and releases volumes.
import type { Clock, DurationMs } from '../../base/clock.ts';
import { type Random, SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { CsiDriver, CsiVolume } from '../../csi/driver.ts';
import type { MemoryDriverConfig } from '../../csi/drivers/memory/config.ts';
import { type MemoryDriver, memoryDriver } from '../../csi/drivers/memory/memory.ts';
import { enforceDeadlines } from '../../csi/enforce-deadlines.ts';
import { type DriverCall, type Proceed, wrapDriver } from '../../csi/wrap-driver.ts';
import type { Cluster, ClusterAccess, Draft } from '../../kube/cluster.ts';
import { CSINodes } from '../../kube/resources/csi-node.ts';
import { Events } from '../../kube/resources/event.ts';
import { Namespaces } from '../../kube/resources/namespace.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { type StorageClass, StorageClasses } from '../../kube/resources/storage-class.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { VolumeSnapshotContents, VolumeSnapshots } from '../../kube/resources/volume-snapshot.ts';
import { RecordedTimeline } from '../../runtime/timeline.ts';
import {
  BETA_STORAGE_PROVISIONER,
  PVC_PROTECTION_FINALIZER,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
} from '../../volume/annotations.ts';
import { provisioner } from './provisioner.ts';
import type { ProvisionerSettings } from './settings.ts';

export const DRIVER = 'disk.csi.test';
export const NAMESPACE = 'shop';
const STARTS_AT = Date.UTC(2026, 0, 1);

/** A new API server, by the test that may import one. */
export type AccessTo = (clock: Clock, random: Random) => ClusterAccess;
type Interference = <R>(call: DriverCall, proceed: Proceed<R>) => Promise<R>;
export interface BenchOptions {
  readonly driver?: Partial<MemoryDriverConfig>;
  readonly settings?: Partial<ProvisionerSettings>;
  /** Faults of the driver. */
  readonly around?: Interference;
  /** What the first answers to CreateVolume say instead of the truth. */
  readonly lies?: readonly Partial<CsiVolume>[];
}
export interface ClaimOptions {
  readonly className?: string;
  readonly size?: string;
  readonly modes?: readonly string[];
  readonly node?: string;
  readonly spec?: Partial<Draft<PersistentVolumeClaim>['spec']>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export class ProvisionerBench {
  readonly clock = new SteppedClock(STARTS_AT);
  readonly driver: MemoryDriver;
  readonly cluster: Cluster;
  /** CSI calls by name, in order, without the questions at the start. */
  readonly calls: DriverCall[] = [];
  readonly #access: ClusterAccess;
  readonly #options: BenchOptions;
  #stop = new AbortController();

  constructor(accessTo: AccessTo, options: BenchOptions) {
    this.#options = options;
    const random = new SeededRandom('bench');
    this.#access = accessTo(this.clock, random.fork('server'));
    this.cluster = this.#access.as('bench');
    this.driver = memoryDriver(
      { name: DRIVER, ...options.driver },
      { random: random.fork('driver'), clock: this.clock },
    );
  }

  /** Makes the namespaces and starts the provisioner. Events about volumes go to the default one. */
  async start(): Promise<void> {
    for (const name of ['default', NAMESPACE]) {
      await this.do(this.cluster.create(Namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
    }
    this.launch();
    await this.pass(100);
  }

  launch(): void {
    this.#stop = new AbortController();
    const { around = (_call, proceed) => proceed() } = this.#options;
    const faulty = enforceDeadlines(wrapDriver(lying(this.driver, this.#options.lies ?? []), around), this.clock);
    const seen = wrapDriver(faulty, (call, proceed) => {
      if (!/Get(Plugin|Controller)?Capabilities|Probe/.test(call.rpc)) this.calls.push(call);
      return proceed();
    });
    const component = provisioner({
      driver: seen,
      settings: { podName: 'pod-0', namespace: NAMESPACE, ...this.#options.settings },
    });
    component.start({
      clock: this.clock,
      random: new SeededRandom('provisioner'),
      cluster: this.#access.as(component.name),
      timeline: new RecordedTimeline(),
      log: { write: () => undefined },
      signal: this.#stop.signal,
    });
  }

  kill(): void {
    this.#stop.abort();
  }

  async pass(durationMs: DurationMs): Promise<void> {
    await this.clock.advanceTo(this.clock.now() + durationMs);
  }

  /** A request of the bench itself, which takes a moment like any other. */
  async do<T>(request: Promise<T>): Promise<T> {
    request.catch(() => undefined);
    await this.pass(5);
    return request;
  }

  get rpcs(): readonly string[] {
    return this.calls.map(({ rpc }) => rpc);
  }

  storageClass(name: string, changes: Partial<StorageClass> = {}): Promise<StorageClass> {
    const { metadata: _metadata, ...rest } = changes;
    const draft: Draft<StorageClass> = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: DRIVER,
      ...rest,
    };
    return this.do(this.cluster.create(StorageClasses, draft));
  }

  /** As the PV controller leaves it: given to the driver. */
  claim(name: string, options: ClaimOptions = {}): Promise<PersistentVolumeClaim> {
    const { className = 'fast', size = '1Gi', modes = ['ReadWriteOnce'], node } = options;
    return this.do(
      this.cluster.create(PersistentVolumeClaims, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name,
          namespace: NAMESPACE,
          finalizers: [PVC_PROTECTION_FINALIZER],
          annotations: {
            [STORAGE_PROVISIONER]: DRIVER,
            [BETA_STORAGE_PROVISIONER]: DRIVER,
            ...(node === undefined ? {} : { [SELECTED_NODE]: node }),
            ...options.annotations,
          },
        },
        spec: {
          accessModes: modes,
          resources: { requests: { storage: size } },
          storageClassName: className,
          ...options.spec,
        },
      }),
    );
  }

  async node(name: string, labels: Readonly<Record<string, string>>, topologyKeys: readonly string[]): Promise<void> {
    await this.do(this.cluster.create(Nodes, { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } }));
    await this.do(
      this.cluster.create(CSINodes, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name },
        spec: { drivers: [{ name: DRIVER, nodeID: name, topologyKeys }] },
      }),
    );
  }

  /** n1 to n3 in zone1 to zone3. */
  async zones(): Promise<void> {
    const key = 'topology.test/zone';
    for (const number of [1, 2, 3]) await this.node(`n${number}`, { [key]: `zone${number}` }, [key]);
  }

  /** A snapshot that is ready, with its content. */
  async snapshot(name: string, snapshotHandle: string): Promise<void> {
    const apiVersion = 'snapshot.storage.k8s.io/v1';
    const contentName = `content-${name}`;
    const created = await this.do(
      this.cluster.create(VolumeSnapshots, {
        apiVersion,
        kind: 'VolumeSnapshot',
        metadata: { name, namespace: NAMESPACE },
        spec: { source: { volumeSnapshotContentName: contentName } },
      }),
    );
    const volumeSnapshotRef = { kind: 'VolumeSnapshot', name, namespace: NAMESPACE, uid: created.metadata.uid };
    await this.do(
      this.cluster.create(VolumeSnapshotContents, {
        apiVersion,
        kind: 'VolumeSnapshotContent',
        metadata: { name: contentName },
        spec: { driver: DRIVER, deletionPolicy: 'Delete', source: { snapshotHandle }, volumeSnapshotRef },
      }),
    );
    const ready = { boundVolumeSnapshotContentName: contentName, readyToUse: true, restoreSize: '1Gi' };
    const status = { subresource: 'status' } as const;
    const key = `${NAMESPACE}/${name}`;
    await this.do(this.cluster.patch(VolumeSnapshots, key, { type: 'merge', body: { status: ready } }, status));
    const taken = { type: 'merge', body: { status: { snapshotHandle, readyToUse: true } } } as const;
    await this.do(this.cluster.patch(VolumeSnapshotContents, contentName, taken, status));
  }

  async snapshotFinalizers(name: string): Promise<readonly string[]> {
    return (await this.do(this.cluster.get(VolumeSnapshots, `${NAMESPACE}/${name}`))).metadata.finalizers ?? [];
  }

  async patchSnapshot(name: string, body: object): Promise<void> {
    await this.do(this.cluster.patch(VolumeSnapshots, `${NAMESPACE}/${name}`, { type: 'merge', body }));
  }

  async secret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const metadata = { name, namespace: NAMESPACE };
    await this.do(this.cluster.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data }));
  }

  async removeSecret(name: string): Promise<void> {
    await this.do(this.cluster.delete(Secrets, `${NAMESPACE}/${name}`));
  }

  async attributesClass(name: string, driverName: string, parameters: Readonly<Record<string, string>>): Promise<void> {
    await this.do(
      this.cluster.create(VolumeAttributesClasses, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttributesClass',
        metadata: { name },
        driverName,
        parameters,
      }),
    );
  }

  async removeNode(name: string): Promise<void> {
    await this.do(this.cluster.delete(CSINodes, name));
    await this.do(this.cluster.delete(Nodes, name));
  }

  /** Deletes the claim, and plays the protection controller. */
  async removeClaim(name: string): Promise<void> {
    await this.deleteClaim(name);
    const body = { metadata: { finalizers: null } };
    await this.do(this.cluster.patch(PersistentVolumeClaims, `${NAMESPACE}/${name}`, { type: 'merge', body }));
  }

  async deleteClaim(name: string): Promise<void> {
    await this.do(this.cluster.delete(PersistentVolumeClaims, `${NAMESPACE}/${name}`));
  }

  async removeClass(name: string): Promise<void> {
    await this.do(this.cluster.delete(StorageClasses, name));
  }

  async patchVolume(name: string, body: object): Promise<void> {
    await this.do(this.cluster.patch(PersistentVolumes, name, { type: 'merge', body }));
  }

  async attach(persistentVolumeName: string, nodeName: string): Promise<void> {
    await this.do(
      this.cluster.create(VolumeAttachments, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: `va-${persistentVolumeName}` },
        spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName } },
      }),
    );
  }

  async detach(persistentVolumeName: string): Promise<void> {
    await this.do(this.cluster.delete(VolumeAttachments, `va-${persistentVolumeName}`));
  }

  readClaim(name: string): Promise<PersistentVolumeClaim> {
    return this.do(this.cluster.get(PersistentVolumeClaims, `${NAMESPACE}/${name}`));
  }

  async volumes(): Promise<readonly PersistentVolume[]> {
    return (await this.do(this.cluster.list(PersistentVolumes))).items;
  }

  /** Binds the claim to its volume as the PV controller does, both sides and both phases. */
  async bind(claim: PersistentVolumeClaim): Promise<void> {
    const volumeName = `pvc-${claim.metadata.uid}`;
    const body = { spec: { volumeName } };
    await this.do(
      this.cluster.patch(PersistentVolumeClaims, `${NAMESPACE}/${claim.metadata.name}`, { type: 'merge', body }),
    );
    await this.phase(volumeName, 'Bound');
    const bound = { type: 'merge', body: { status: { phase: 'Bound' } } } as const;
    const key = `${NAMESPACE}/${claim.metadata.name}`;
    await this.do(this.cluster.patch(PersistentVolumeClaims, key, bound, { subresource: 'status' }));
  }

  async phase(volumeName: string, phase: string): Promise<void> {
    const patch = { type: 'merge', body: { status: { phase } } } as const;
    await this.do(this.cluster.patch(PersistentVolumes, volumeName, patch, { subresource: 'status' }));
  }

  /** `Warning ProvisioningFailed <message>` for each Event about an object of this name, repeats once. */
  async events(name: string): Promise<readonly string[]> {
    const { items } = await this.do(this.cluster.list(Events));
    const about = items.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ type, reason, message }) => `${type} ${reason} ${message}`);
  }

  async sources(name: string): Promise<readonly string[]> {
    const { items } = await this.do(this.cluster.list(Events));
    const about = items.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ source }) => source?.component ?? '');
  }
}

function lying(driver: CsiDriver, lies: readonly Partial<CsiVolume>[]): CsiDriver {
  const left = [...lies];
  const { createVolume } = driver.controller;
  const controller: CsiDriver['controller'] = {
    ...driver.controller,
    createVolume: async (request, call) => {
      const { volume } = await createVolume(request, call);
      return { volume: { ...volume, ...left.shift() } };
    },
  };
  return { ...driver, controller };
}

/** Starts a provisioner against servers made this way. */
export const benchOn =
  (accessTo: AccessTo) =>
  async (options: BenchOptions = {}): Promise<ProvisionerBench> => {
    const bench = new ProvisionerBench(accessTo, options);
    await bench.start();
    return bench;
  };
