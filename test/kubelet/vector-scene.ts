// The scene of the volume manager's vectors: node n1, driver d, handle h, volume pv1 behind claim default/data, pod p1.
// Times are milliseconds from the zero of the vector; the loops have the phases that the vectors are written for.
import { SECOND_MS } from '../../src/base/clock.ts';
import { ToldRandom } from './told-random.ts';
import type { NodeCapability } from '../../src/csi/driver.ts';
import type { Draft } from '../../src/kube/cluster.ts';
import { CSIDrivers, type CSIDriver } from '../../src/kube/resources/csi-driver.ts';
import { Nodes } from '../../src/kube/resources/node.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import type { KubeletOptions } from '../../src/kubelet/kubelet-options.ts';
import { attachmentName } from '../../src/volume/attachment-name.ts';
import { uniqueVolumeName } from '../../src/volume/volume-name.ts';
import { KubeletBench } from './kubelet-bench.ts';
import type { ScriptedDriver } from './scripted-driver.ts';

export const NODE = 'n1';
export const V = uniqueVolumeName({ driver: 'd', handle: 'h' });
export const ATTACHMENT = attachmentName({ handle: 'h', driver: 'd', node: NODE });
/** A whole number of every period, so that a grid from the start has a point at zero. */
const SETTLE_MS = 60 * SECOND_MS;

const STARTS: readonly string[] = ['Created', 'Started'];

export interface SceneOptions {
  readonly capabilities?: readonly NodeCapability[];
  readonly driverSpec?: CSIDriver['spec'];
  readonly latencyMs?: Readonly<Record<string, number>>;
  readonly kubelet?: Partial<KubeletOptions>;
  readonly volume?: Partial<PersistentVolume['spec']>;
  readonly claimStatus?: Partial<PersistentVolumeClaim['status']>;
  /** Whether the volume is attached from the start. */
  readonly attached?: boolean;
  readonly registered?: boolean;
}

export class VectorScene {
  readonly bench = new KubeletBench({ random: new ToldRandom({ 'node status': [0], 'node lease': [0], resync: [0] }) });
  readonly driver: ScriptedDriver;
  readonly #options: SceneOptions;

  constructor(options: SceneOptions = {}) {
    this.#options = options;
    const { capabilities = ['STAGE_UNSTAGE_VOLUME', 'EXPAND_VOLUME'], latencyMs = {} } = options;
    this.driver = this.bench.addDriver('d', { capabilities, latencyMs });
    this.bench.addNode(NODE, {
      phases: {
        populatorMs: 100,
        reconcilerMs: 50,
        nodeStatusMs: 2900,
        relistMs: 0,
        syncMs: 0,
        leaseMs: 5000,
        statsMs: 0,
      },
      ...options.kubelet,
    });
  }

  /** The node is up and idle at zero; its status is due at 3 s and then every 10 s. */
  async begin(): Promise<this> {
    const { bench } = this;
    await this.#createObjects();
    bench.zeroMs = SETTLE_MS;
    if (this.#options.registered !== false) bench.register('d', NODE);
    bench.start(NODE);
    await bench.advanceTo(0);
    if (this.#options.attached === true) await this.attach();
    bench.calls.length = 0;
    bench.commits.length = 0;
    return this;
  }

  async #createObjects(): Promise<void> {
    const { cluster } = this.bench;
    const { driverSpec = { attachRequired: true }, volume, claimStatus } = this.#options;
    await cluster.create(CSIDrivers, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'd' },
      spec: driverSpec,
    });
    const claim = await cluster.create(PersistentVolumeClaims, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default', finalizers: ['kubernetes.io/pvc-protection'] },
      spec: {
        accessModes: volume?.accessModes ?? ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        volumeName: 'pv1',
        volumeMode: volume?.volumeMode ?? 'Filesystem',
        storageClassName: '',
      },
    });
    await cluster.create(PersistentVolumes, {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv1' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'd', volumeHandle: 'h', fsType: 'ext4' },
        claimRef: { namespace: 'default', name: 'data', uid: claim.metadata.uid },
        persistentVolumeReclaimPolicy: 'Retain',
        ...volume,
      },
    });
    const status = { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], ...claimStatus };
    await cluster.patch(
      PersistentVolumeClaims,
      'default/data',
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
  }

  pod(name: string, spec: Partial<Pod['spec']> = {}): Draft<Pod> {
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: {
        nodeName: NODE,
        terminationGracePeriodSeconds: 2,
        containers: [{ name: 'c', image: 'i', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        ...spec,
      },
    };
  }

  createPod(name = 'p1', spec: Partial<Pod['spec']> = {}): Promise<Pod> {
    return this.bench.cluster.create(Pods, this.pod(name, spec));
  }

  deletePod(name = 'p1', gracePeriodSeconds?: number): Promise<unknown> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    return this.bench.cluster.delete(Pods, `default/${name}`, options);
  }

  /** What the attach-detach controller and the attacher would write. */
  async attach(status: object = { attached: true, attachmentMetadata: { lun: '7' } }): Promise<void> {
    const { cluster } = this.bench;
    await this.createAttachment(status);
    const body = { status: { volumesAttached: [{ name: V, devicePath: '' }] } };
    await cluster.patch(Nodes, NODE, { type: 'strategic', body }, { subresource: 'status' });
  }

  async createAttachment(status: object): Promise<void> {
    const { cluster } = this.bench;
    await cluster.create(VolumeAttachments, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: ATTACHMENT },
      spec: { attacher: 'd', nodeName: NODE, source: { persistentVolumeName: 'pv1' } },
    });
    await cluster.patch(VolumeAttachments, ATTACHMENT, { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  async detach(): Promise<void> {
    const { cluster } = this.bench;
    await cluster.patch(
      Nodes,
      NODE,
      { type: 'strategic', body: { status: { volumesAttached: null } } },
      { subresource: 'status' },
    );
    await cluster.delete(VolumeAttachments, ATTACHMENT);
  }

  patchClaim(body: object): Promise<unknown> {
    return this.bench.cluster.patch(
      PersistentVolumeClaims,
      'default/data',
      { type: 'merge', body },
      { subresource: 'status' },
    );
  }

  claim(): Promise<PersistentVolumeClaim> {
    return this.bench.cluster.get(PersistentVolumeClaims, 'default/data');
  }

  podNow(name = 'p1'): Promise<Pod> {
    return this.bench.cluster.get(Pods, `default/${name}`);
  }

  /** To milliseconds after zero. */
  async until(ms: number): Promise<void> {
    await this.bench.advanceTo(ms / SECOND_MS);
  }

  /** Milliseconds of the calls of a method. */
  times(method: string): readonly number[] {
    return this.bench.timesOf(method).map((seconds) => Math.round(seconds * SECOND_MS));
  }

  /** Every list of volumes in use that was written, with its time. */
  volumesInUse(): readonly (readonly [number, readonly string[]])[] {
    const lists: (readonly [number, readonly string[]])[] = [];
    for (const { before, after, at } of this.bench.commits) {
      if (after?.kind !== 'Node') continue;
      const [was, is] = [before, after].map(
        (node) => (node as { status?: { volumesInUse?: readonly string[] } } | undefined)?.status?.volumesInUse ?? [],
      );
      if (was !== undefined && is !== undefined && was.join() !== is.join())
        lists.push([Math.round(at * SECOND_MS), is]);
    }
    return lists;
  }

  /** What kubelets said, without what is said of nodes and of containers that start. */
  events(): readonly string[] {
    return this.bench
      .events()
      .filter(
        ({ object, reason, source }) => source === 'kubelet' && !object.startsWith('Node/') && !STARTS.includes(reason),
      )
      .map(({ object, type, reason, message }) => `${object} ${type} ${reason} ${message}`);
  }
}
