// What a kubelet writes must be its own: its node, its lease, its mirror pods, the status of its pods, tokens for its pods.
// kubernetes:plugin/pkg/admission/noderestriction/admission.go
import { forbidden, notFound } from '../../kube/api-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import { type KubeObject, type ResourceName, keyFrom } from '../../kube/object.ts';
import { CSIDrivers } from '../../kube/resources/csi-driver.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest, PostedRequest } from '../admission/admission.ts';
import type { Authorizer } from '../authorization.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import type { TokenRequest } from '../serviceaccount/token-request.ts';
import { nodeOfUser } from './node-authorizer.ts';
import { nodeRefusal } from './node-object-rules.ts';
import { MIRROR_ANNOTATION, configMapsOf, isMirror, secretsOf } from './pod-references.ts';

interface Asked {
  readonly node: string;
  readonly reader: AdmissionReader;
}

type Named = Pick<AdmissionRequest, 'name'> & { readonly resource: ResourceName };

const refuse = ({ resource, name }: Named, why: string): Error =>
  forbidden({ group: resource.group, plural: resource.plural }, name, why);

export function nodeRestriction(authorizer: Authorizer): AdmissionPlugin {
  return {
    name: 'NodeRestriction',
    admit(request, reader) {
      const node = nodeOfUser({ name: request.user, groups: request.groups });
      if (node === undefined) return undefined;
      if (node === '') throw refuse(request, `could not determine node from user ${goQuote(request.user)}`);
      const why = refusalOf(request, { node, reader });
      if (why !== undefined) throw refuse(request, why);
      return undefined;
    },
    post(request, reader) {
      const node = nodeOfUser({ name: request.user, groups: request.groups });
      if (node === undefined) return;
      const why = postRefusal(request, { node, reader }, authorizer);
      if (why !== undefined) throw refuse(request, why);
    },
  };
}

/** Why a write is refused; undefined where it is not. */
function refusalOf(request: AdmissionRequest, asked: Asked): string | undefined {
  const { group, plural } = request.resource;
  switch (group === '' ? plural : `${plural}.${group}`) {
    case 'pods':
      return podRefusal(request, asked);
    case 'nodes':
      return nodeRefusal(request, asked.node);
    case 'persistentvolumeclaims':
      return claimRefusal(request, asked.node);
    case 'leases.coordination.k8s.io':
      if (request.namespace !== 'kube-node-lease')
        return 'can only access leases in the "kube-node-lease" system namespace';
      return request.name === asked.node
        ? undefined
        : 'can only access node lease with the same name as the requesting node';
    case 'csinodes.storage.k8s.io':
      return request.name === asked.node
        ? undefined
        : 'can only access CSINode with the same name as the requesting node';
    case 'resourceslices.resource.k8s.io':
      return sliceRefusal(request, asked.node);
    default:
      return undefined;
  }
}

function podRefusal(request: AdmissionRequest, { node, reader }: Asked): string | undefined {
  const { operation, subresource, object, before } = request;
  // What an eviction does to a pod was looked at when it was posted.
  if (subresource === 'eviction') return undefined;
  if (subresource === 'status') return statusRefusal(object as Pod, before as Pod, node);
  if (subresource !== undefined)
    return `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
  switch (operation) {
    case 'CREATE':
      return mirrorRefusal(object as Pod, { node, reader });
    case 'DELETE':
      return (before as Pod).spec.nodeName === node
        ? undefined
        : `node ${goQuote(node)} can only delete pods with spec.nodeName set to itself`;
    case 'UPDATE':
      return `unexpected operation "UPDATE", node ${goQuote(node)} can only create and delete mirror pods`;
  }
}

function statusRefusal(pod: Pod, before: Pod, node: string): string | undefined {
  const quoted = goQuote(node);
  if (before.spec.nodeName !== node)
    return `node ${quoted} can only update pod status for pods with spec.nodeName set to itself`;
  if (!sameValue(pod.metadata.labels ?? {}, before.metadata.labels ?? {}))
    return `node ${quoted} cannot update labels through pod status`;
  const claims = (each: Pod): unknown =>
    (each.status as { readonly resourceClaimStatuses?: unknown }).resourceClaimStatuses;
  return sameValue(claims(pod), claims(before)) ? undefined : `node ${quoted} cannot update resource claim statues`;
}

function mirrorRefusal(pod: Pod, { node, reader }: Asked): string | undefined {
  const quoted = goQuote(node);
  if (!isMirror(pod))
    return `pod does not have ${goQuote(MIRROR_ANNOTATION)} annotation, node ${quoted} can only create mirror pods`;
  if (pod.spec.nodeName !== node) return `node ${quoted} can only create pods with spec.nodeName set to itself`;
  const [owner, ...others] = pod.metadata.ownerReferences ?? [];
  if (others.length > 0) return `node ${quoted} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `node ${quoted} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `node ${quoted} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node ${quoted} must not set blockOwnerDeletion on an owner reference`;
  const stored = reader.get(Nodes, node);
  if (stored === undefined) throw notFound({ group: '', plural: 'node' }, node);
  if (owner.uid !== stored.metadata.uid)
    return `node ${node} UID mismatch: expected ${owner.uid} got ${stored.metadata.uid}`;
  const named = namedByMirror(pod);
  return named === undefined ? undefined : `node ${quoted} can not create pods that reference ${named}`;
}

/** The first kind of object that a mirror pod needs of the API. kubernetes:pkg/api/pod/util.go HasAPIObjectReference */
function namedByMirror(pod: Pod): string | undefined {
  if ((pod.spec.serviceAccountName ?? '') !== '') return 'serviceaccounts';
  if (secretsOf(pod).length > 0) return 'secrets';
  if (configMapsOf(pod).length > 0) return 'configmaps';
  if (((pod.spec as { readonly resourceClaims?: readonly unknown[] }).resourceClaims ?? []).length > 0)
    return 'resourceclaims';
  for (const volume of pod.spec.volumes ?? []) {
    const named = namedByVolume(volume);
    if (named !== undefined) return named;
  }
  return undefined;
}

function namedByVolume(volume: Volume): string | undefined {
  if (volume.csi !== undefined) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs !== undefined) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim !== undefined) return 'persistentvolumeclaims';
  if (volume.ephemeral !== undefined) return 'persistentvolumeclaims (via ephemeral volumes)';
  const sources = volume.projected?.sources ?? [];
  if (sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined))
    return 'serviceaccounts (via projected volumes)';
  return sources.some((source) => 'clusterTrustBundle' in source) ? 'clustertrustbundles' : undefined;
}

/** Of a claim only what a resize changes in its status. */
function claimRefusal({ subresource, object, before }: AdmissionRequest, node: string): string | undefined {
  if (subresource !== 'status') return 'may only update PVC status';
  if (sameValue(beyondResize(object), beyondResize(before))) return undefined;
  return `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions: `;
}

function beyondResize(object: KubeObject | undefined): object {
  const { metadata, status, ...rest } = object as KubeObject & { readonly status?: Readonly<Record<string, unknown>> };
  const { resourceVersion: _version, managedFields: _managed, ...meta } = metadata;
  const { capacity: _c, conditions: _n, allocatedResources: _a, allocatedResourceStatuses: _s, ...kept } = status ?? {};
  return { ...rest, metadata: meta, status: kept };
}

function sliceRefusal({ operation, object, before }: AdmissionRequest, node: string): string | undefined {
  if (operation === 'UPDATE') return undefined;
  const { spec = {} } = (object ?? before) as { readonly spec?: { readonly nodeName?: string } };
  const verb = operation === 'CREATE' ? 'create' : 'delete';
  if (spec.nodeName === node) return undefined;
  return `can only ${verb} ResourceSlice with the same NodeName as the requesting node`;
}

function postRefusal(request: PostedRequest, asked: Asked, authorizer: Authorizer): string | undefined {
  const { subresource, resource, name, namespace } = request;
  if (resource.plural === Pods.plural && subresource === 'eviction') {
    const pod = podOf(asked.reader, namespace, name);
    return pod.spec.nodeName === asked.node
      ? undefined
      : `node ${asked.node} can only evict pods with spec.nodeName set to itself`;
  }
  if (resource.plural === Pods.plural)
    return `unexpected pod subresource ${goQuote(subresource)}, only 'status' and 'eviction' are allowed`;
  return subresource === 'token' ? tokenRefusal(request, asked, authorizer) : undefined;
}

/** Named as the lister upstream names it. */
function podOf(reader: AdmissionReader, namespace: string | undefined, name: string): Pod {
  const pod = reader.get(Pods, keyFrom(namespace, name));
  if (pod === undefined) throw notFound({ group: '', plural: 'pod' }, name);
  return pod;
}

function tokenRefusal(request: PostedRequest, { node, reader }: Asked, authorizer: Authorizer): string | undefined {
  const { spec } = request.object as TokenRequest;
  const { apiVersion, kind, name = '', uid = '' } = spec.boundObjectRef ?? {};
  if (apiVersion !== 'v1' || kind !== 'Pod' || name === '') return 'node requested token not bound to a pod';
  if (uid === '') return 'node requested token with a pod binding without a uid';
  const pod = podOf(reader, request.namespace, name);
  if (pod.metadata.uid !== uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  if (pod.spec.nodeName !== node) return 'node requested token bound to a pod scheduled on a different node';
  const [audience = '', ...more] = spec.audiences ?? [];
  if (more.length > 0) return 'node may only request 0 or 1 audiences';
  if (usesAudience(pod, audience, reader)) return undefined;
  const may = authorizer.decide(request, {
    verb: 'request-serviceaccounts-token-audience',
    resource: { group: '', plural: audience },
    subresource: undefined,
    namespace: request.namespace,
    name: request.name,
  });
  if (may.allowed) return undefined;
  return `audience ${goQuote(audience)} not found in pod spec volume, ${request.user} is not authorized to request tokens for this audience`;
}

/** A projected token, or a driver of one of the pod's volumes, asks for the audience. */
function usesAudience(pod: Pod, audience: string, reader: AdmissionReader): boolean {
  return (pod.spec.volumes ?? []).some((volume) => {
    const sources = volume.projected?.sources ?? [];
    if (
      sources.some(
        ({ serviceAccountToken }) =>
          serviceAccountToken !== undefined && (serviceAccountToken.audience ?? '') === audience,
      )
    )
      return true;
    const driver = driverOf(volume, pod, reader);
    const requests = driver === undefined ? [] : (reader.get(CSIDrivers, driver)?.spec.tokenRequests ?? []);
    return requests.some((each) => (each.audience ?? '') === audience);
  });
}

function driverOf(volume: Volume, { metadata }: Pod, reader: AdmissionReader): string | undefined {
  if (volume.csi !== undefined) return volume.csi.driver;
  const claimName =
    volume.ephemeral === undefined ? volume.persistentVolumeClaim?.claimName : `${metadata.name}-${volume.name}`;
  if (claimName === undefined) return undefined;
  const claim = reader.get(PersistentVolumeClaims, keyFrom(metadata.namespace, claimName));
  return reader.get(PersistentVolumes, claim?.spec.volumeName ?? '')?.spec.csi?.driver;
}
