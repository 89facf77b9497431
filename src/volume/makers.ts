// Objects for tests. Everything that a test does not name has the default of the vectors: 1Gi, ReadWriteOnce and
// ReadOnlyMany, Filesystem, policy Retain, no class, namespace `default`.
import { type PersistentVolumeClaim } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, type PersistentVolumeSpec } from '../kube/resources/persistent-volume.ts';
import { type Pod } from '../kube/resources/pod.ts';
import { type StorageClass } from '../kube/resources/storage-class.ts';
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, PROVISIONED_BY } from './annotations.ts';

const CREATED = '2026-01-01T00:00:00Z';
const MODES = ['ReadWriteOnce', 'ReadOnlyMany'];

interface Marks {
  /** bound-by-controller. */
  readonly bbc?: boolean;
  /** bind-completed. */
  readonly bc?: boolean;
  readonly provisionedBy?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

function annotationsOf(marks: Marks): { annotations?: Readonly<Record<string, string>> } {
  const annotations = {
    ...(marks.bbc === true ? { [BOUND_BY_CONTROLLER]: 'yes' } : {}),
    ...(marks.bc === true ? { [BIND_COMPLETED]: 'yes' } : {}),
    ...(marks.provisionedBy === undefined ? {} : { [PROVISIONED_BY]: marks.provisionedBy }),
    ...marks.annotations,
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

export interface VolumeParts extends Marks {
  readonly name?: string;
  readonly size?: string;
  /** `c` names a claim only, `c/u` names it with its uid. */
  readonly claim?: string;
  readonly phase?: string;
  readonly message?: string;
  readonly policy?: string;
  readonly className?: string;
  readonly modes?: readonly string[];
  readonly volumeMode?: string;
  readonly attributesClass?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deleting?: boolean;
  readonly finalizers?: readonly string[];
  readonly resourceVersion?: string;
  /** Everything else of the spec; the default is an NFS source. */
  readonly spec?: Partial<PersistentVolumeSpec>;
}

function claimRefOf(text: string): { claimRef: NonNullable<PersistentVolumeSpec['claimRef']> } {
  const [name = '', uid] = text.split('/');
  return {
    claimRef: {
      kind: 'PersistentVolumeClaim',
      apiVersion: 'v1',
      namespace: 'default',
      name,
      ...(uid === undefined ? {} : { uid }),
    },
  };
}

export function aVolume(parts: VolumeParts = {}): PersistentVolume {
  const { name = 'v' } = parts;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: parts.resourceVersion ?? '1',
      creationTimestamp: CREATED,
      ...(parts.deleting === true ? { deletionTimestamp: CREATED } : {}),
      ...(parts.finalizers === undefined ? {} : { finalizers: parts.finalizers }),
      ...(parts.labels === undefined ? {} : { labels: parts.labels }),
      ...annotationsOf(parts),
    },
    spec: {
      capacity: { storage: parts.size ?? '1Gi' },
      accessModes: parts.modes ?? MODES,
      persistentVolumeReclaimPolicy: parts.policy ?? 'Retain',
      volumeMode: parts.volumeMode ?? 'Filesystem',
      ...(parts.className === undefined || parts.className === '' ? {} : { storageClassName: parts.className }),
      ...(parts.attributesClass === undefined ? {} : { volumeAttributesClassName: parts.attributesClass }),
      ...(parts.claim === undefined ? {} : claimRefOf(parts.claim)),
      ...(parts.spec ?? { nfs: { server: 'nfs.test', path: '/x' } }),
    },
    status: {
      phase: parts.phase ?? 'Available',
      ...(parts.message === undefined ? {} : { message: parts.message }),
    },
  };
}

export interface ClaimParts extends Marks {
  readonly name?: string;
  readonly uid?: string;
  readonly namespace?: string;
  readonly size?: string;
  readonly volumeName?: string;
  readonly phase?: string;
  /** Undefined is unset; empty is a choice. */
  readonly className?: string;
  readonly modes?: readonly string[];
  readonly volumeMode?: string;
  readonly attributesClass?: string;
  readonly selector?: PersistentVolumeClaim['spec']['selector'];
  readonly status?: Partial<PersistentVolumeClaim['status']>;
  readonly deleting?: boolean;
  readonly finalizers?: readonly string[];
  readonly resourceVersion?: string;
}

export function aClaim(parts: ClaimParts = {}): PersistentVolumeClaim {
  const { name = 'c' } = parts;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: parts.namespace ?? 'default',
      uid: parts.uid ?? 'u',
      resourceVersion: parts.resourceVersion ?? '1',
      creationTimestamp: CREATED,
      ...(parts.deleting === true ? { deletionTimestamp: CREATED } : {}),
      ...(parts.finalizers === undefined ? {} : { finalizers: parts.finalizers }),
      ...annotationsOf(parts),
    },
    spec: {
      accessModes: parts.modes ?? MODES,
      resources: { requests: { storage: parts.size ?? '1Gi' } },
      volumeMode: parts.volumeMode ?? 'Filesystem',
      ...(parts.selector === undefined ? {} : { selector: parts.selector }),
      ...(parts.volumeName === undefined ? {} : { volumeName: parts.volumeName }),
      ...(parts.className === undefined ? {} : { storageClassName: parts.className }),
      ...(parts.attributesClass === undefined ? {} : { volumeAttributesClassName: parts.attributesClass }),
    },
    status: { phase: parts.phase ?? 'Pending', ...parts.status },
  };
}

export interface ClassParts {
  readonly name?: string;
  readonly provisioner?: string;
  readonly wait?: boolean;
  readonly isDefault?: boolean;
  readonly created?: string;
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
}

export function aClass(parts: ClassParts = {}): StorageClass {
  const { name = 'gold' } = parts;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: {
      name,
      uid: `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: parts.created ?? CREATED,
      ...(parts.isDefault === true ? { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } : {}),
    },
    provisioner: parts.provisioner ?? 'vendor.test/driver',
    reclaimPolicy: parts.reclaimPolicy ?? 'Delete',
    volumeBindingMode: parts.wait === true ? 'WaitForFirstConsumer' : 'Immediate',
    ...(parts.mountOptions === undefined ? {} : { mountOptions: parts.mountOptions }),
  };
}

export interface PodParts {
  readonly name?: string;
  readonly uid?: string;
  readonly nodeName?: string;
  readonly phase?: string;
  /** Claims used by name. */
  readonly claims?: readonly string[];
  /** Names of generic ephemeral volumes. */
  readonly ephemeral?: readonly string[];
  /** Grace seconds of a pod that is being deleted. */
  readonly deletingIn?: number;
}

export function aPod(parts: PodParts = {}): Pod {
  const { name = 'p' } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      uid: parts.uid ?? `uid-of-${name}`,
      resourceVersion: '1',
      creationTimestamp: CREATED,
      ...(parts.deletingIn === undefined
        ? {}
        : { deletionTimestamp: CREATED, deletionGracePeriodSeconds: parts.deletingIn }),
    },
    spec: {
      containers: [{ name: 'main', image: 'pause', resources: {} }],
      volumes: [
        ...(parts.claims ?? []).map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
        ...(parts.ephemeral ?? []).map((volume) => ({ name: volume, ephemeral: {} })),
      ],
      ...(parts.nodeName === undefined ? {} : { nodeName: parts.nodeName }),
    },
    status: { phase: parts.phase ?? 'Pending' },
  };
}
