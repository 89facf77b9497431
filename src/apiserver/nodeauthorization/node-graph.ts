// Which node needs which object, kept from changes of pods, volumes and attachments: an object is a node's if a pod there
// names it, if it is the volume of a claim that a pod there names, or a secret that such a volume names.
// kubernetes:plugin/pkg/auth/authorizer/node/graph{,_populator}.go
import type { Disposable } from '../../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, keyFrom, keyOf } from '../../kube/object.ts';
import { PersistentVolumes, type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import type { Change } from '../objectstore/change-history.ts';
import { claimsOf, configMapsOf, isMirror, secretsOf } from './pod-references.ts';

/** What the graph reads: the store, or anything that tells of changes as it does. */
export interface GraphSource {
  all(resource: Resource<KubeObject>, namespace?: string): readonly KubeObject[];
  subscribe(resource: Resource<KubeObject>, listener: (change: Change) => void): Disposable;
}

const ResourceSlices: Resource<KubeObject> = {
  group: 'resource.k8s.io',
  version: 'v1',
  plural: 'resourceslices',
  kind: 'ResourceSlice',
  namespaced: false,
};
const PodCertificateRequests: Resource<KubeObject> = {
  group: 'certificates.k8s.io',
  version: 'v1beta1',
  plural: 'podcertificaterequests',
  kind: 'PodCertificateRequest',
  namespaced: true,
};

/** `secrets ns/name` */
type Place = string;

const placeOf = (plural: string, key: ObjectKey): Place => `${plural} ${key}`;

/** One object's edges: to its node, or to another place that leads to nodes. */
interface Edges {
  readonly from: readonly Place[];
  readonly node: string | undefined;
  readonly via: Place | undefined;
}

export class NodeGraph {
  readonly #source: GraphSource;
  /** How many objects lead from a place to a node. */
  readonly #nodes = new Map<Place, Map<string, number>>();
  /** Through which other places a place leads to nodes, and by how many objects. */
  readonly #via = new Map<Place, Map<Place, number>>();
  #isBuilt = false;

  constructor(source: GraphSource) {
    this.#source = source;
    for (const resource of SOURCES) {
      source.subscribe(resource, ({ before, after }) => {
        if (!this.#isBuilt) return;
        if (before !== undefined) this.#count(edgesOf(resource, before), -1);
        if (after !== undefined) this.#count(edgesOf(resource, after), 1);
      });
    }
  }

  /** Whether something on the node needs the object. */
  leads(plural: string, key: ObjectKey, node: string): boolean {
    this.#build();
    return this.#leads(placeOf(plural, key), node);
  }

  /** From a secret to a volume, from a volume to a claim, from a claim to a pod's node: never in a circle. */
  #leads(place: Place, node: string): boolean {
    if (this.#nodes.get(place)?.has(node) === true) return true;
    for (const next of this.#via.get(place)?.keys() ?? []) if (this.#leads(next, node)) return true;
    return false;
  }

  #build(): void {
    if (this.#isBuilt) return;
    this.#isBuilt = true;
    for (const resource of SOURCES)
      for (const object of this.#source.all(resource)) this.#count(edgesOf(resource, object), 1);
  }

  #count(edges: readonly Edges[], by: 1 | -1): void {
    for (const { from, node, via } of edges) {
      for (const place of from) {
        if (node !== undefined) add(this.#nodes, place, node, by);
        if (via !== undefined) add(this.#via, place, via, by);
      }
    }
  }
}

const SOURCES: readonly Resource<KubeObject>[] = [
  Pods,
  PersistentVolumes,
  VolumeAttachments,
  ResourceSlices,
  PodCertificateRequests,
];

function add(counts: Map<string, Map<string, number>>, from: string, to: string, by: 1 | -1): void {
  const ofPlace = counts.get(from) ?? new Map<string, number>();
  const count = (ofPlace.get(to) ?? 0) + by;
  if (count > 0) counts.set(from, ofPlace.set(to, count));
  else ofPlace.delete(to);
  if (ofPlace.size === 0) counts.delete(from);
}

function edgesOf(resource: Resource<KubeObject>, object: KubeObject): readonly Edges[] {
  switch (resource) {
    case Pods:
      return podEdges(object as Pod);
    case PersistentVolumes:
      return volumeEdges(object as PersistentVolume);
    case VolumeAttachments:
      return toNode(resource.plural, object, (object as VolumeAttachment).spec.nodeName);
    default:
      return toNode(
        resource.plural,
        object,
        (object as { readonly spec?: { readonly nodeName?: string } }).spec?.nodeName,
      );
  }
}

const toNode = (plural: string, object: KubeObject, node: string | undefined): readonly Edges[] =>
  node === undefined || node === '' ? [] : [{ from: [placeOf(plural, keyOf(object))], node, via: undefined }];

/** A node makes mirror pods itself: they give it nothing. */
function podEdges(pod: Pod): readonly Edges[] {
  const { nodeName: node, serviceAccountName } = pod.spec;
  if (node === undefined || node === '') return [];
  const { namespace } = pod.metadata;
  const places = (plural: string, names: readonly string[]): readonly Place[] =>
    [...new Set(names)].map((name) => placeOf(plural, keyFrom(namespace, name)));
  const needs = isMirror(pod)
    ? []
    : [
        ...places('serviceaccounts', serviceAccountName === undefined ? [] : [serviceAccountName]),
        ...places('secrets', secretsOf(pod)),
        ...places('configmaps', configMapsOf(pod)),
        ...places('persistentvolumeclaims', claimsOf(pod)),
        ...places('resourceclaims', resourceClaimsOf(pod)),
      ];
  return [{ from: [placeOf(Pods.plural, keyOf(pod)), ...needs], node, via: undefined }];
}

interface DeviceUse {
  readonly spec: {
    readonly resourceClaims?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
  };
  readonly status?: {
    readonly resourceClaimStatuses?: readonly { readonly name: string; readonly resourceClaimName?: string }[];
    readonly extendedResourceClaimStatus?: { readonly resourceClaimName?: string };
  };
}

function resourceClaimsOf(pod: Pod): readonly string[] {
  const { spec, status = {} } = pod as unknown as DeviceUse;
  const made = status.resourceClaimStatuses ?? [];
  const names = (spec.resourceClaims ?? []).map(
    ({ name, resourceClaimName }) => resourceClaimName ?? made.find((each) => each.name === name)?.resourceClaimName,
  );
  return [...names, status.extendedResourceClaimStatus?.resourceClaimName].filter(
    (name): name is string => name !== undefined && name !== '',
  );
}

function volumeEdges(volume: PersistentVolume): readonly Edges[] {
  const { claimRef } = volume.spec;
  if (claimRef === undefined) return [];
  const place = placeOf(PersistentVolumes.plural, volume.metadata.name);
  const claim = placeOf('persistentvolumeclaims', keyFrom(claimRef.namespace, claimRef.name ?? ''));
  const secrets = secretsOfVolume(volume.spec, claimRef.namespace ?? '');
  return [
    { from: [place], node: undefined, via: claim },
    { from: [...new Set(secrets)].map((key) => placeOf('secrets', key)), node: undefined, via: place },
  ];
}

/** Those that a kubelet needs: what only the controller side of a driver uses is not for nodes. */
function secretsOfVolume(spec: PersistentVolume['spec'], claimNamespace: string): readonly ObjectKey[] {
  const { csi, azureFile } = spec;
  const old = [spec.cephfs, spec.cinder, spec.flexVolume, spec.rbd, spec.scaleIO, spec.iscsi, spec.storageos];
  const references = [
    ...old.map((source) => source?.secretRef ?? undefined),
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
    azureFile === undefined ? undefined : { name: azureFile.secretName, namespace: azureFile.secretNamespace ?? '' },
  ];
  return references.flatMap((reference) => {
    if (reference?.name === undefined || reference.name === '') return [];
    return [keyFrom((reference.namespace ?? '') === '' ? claimNamespace : reference.namespace, reference.name)];
  });
}
