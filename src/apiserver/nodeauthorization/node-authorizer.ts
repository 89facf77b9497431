// What a kubelet may do, told from its user name: read what its own pods need, and write what is its own. What the authorizer
// cannot see, because it is in the body, is looked at by the admission plugin NodeRestriction.
// kubernetes:plugin/pkg/auth/authorizer/node/node_authorizer.go
import { keyFrom } from '../../kube/object.ts';
import type { AccessDecision, AnyAccess, Authorizer, ResourceAccess, User } from '../authorization.ts';
import { CLUSTER_ROLES } from '../rbac/bootstrap-roles.ts';
import { ruleAllows } from '../rbac/policy-rule.ts';
import { ruleOf } from '../rbac/policy-text.ts';
import type { NodeGraph } from './node-graph.ts';

const USER_PREFIX = 'system:node:';
const NODES_GROUP = 'system:nodes';
const LEASE_NAMESPACE = 'kube-node-lease';
/** What all nodes may do alike. */
const RULES = (CLUSTER_ROLES['system:node'] ?? []).map(ruleOf);

const ALLOWED: AccessDecision = { allowed: true };
const NO_OPINION: AccessDecision = { allowed: false };
const no = (because: string): AccessDecision => ({ allowed: false, because });

/** The node that a user is; empty for one that is a node without a name, undefined for all others. */
export function nodeOfUser({ name, groups }: Pick<User, 'name' | 'groups'>): string | undefined {
  if (!name.startsWith(USER_PREFIX) || !groups.includes(NODES_GROUP)) return undefined;
  return name.slice(USER_PREFIX.length);
}

export class NodeAuthorizer implements Authorizer {
  readonly #graph: NodeGraph;

  constructor(graph: NodeGraph) {
    this.#graph = graph;
  }

  decide(user: User, access: AnyAccess): AccessDecision {
    const node = nodeOfUser(user);
    if (node === undefined) return NO_OPINION;
    if (node === '') return no(`unknown node for user ${JSON.stringify(user.name)}`);
    const own = 'path' in access ? undefined : this.#divided(node, access);
    return own ?? (RULES.some((rule) => ruleAllows(rule, access)) ? ALLOWED : NO_OPINION);
  }

  /** Kinds whose objects are of one node or another; undefined for those that are not. */
  #divided(node: string, access: ResourceAccess): AccessDecision | undefined {
    const { group, plural } = access.resource;
    switch (group === '' ? plural : `${plural}.${group}`) {
      case 'secrets':
      case 'configmaps':
        return this.#read(node, access);
      case 'persistentvolumeclaims':
        return access.subresource === 'status' ? this.#statusUpdate(node, access) : this.#get(node, access);
      case 'persistentvolumes':
      case 'resourceclaims.resource.k8s.io':
      case 'volumeattachments.storage.k8s.io':
        return this.#get(node, access);
      case 'serviceaccounts':
        return this.#serviceAccount(node, access);
      case 'leases.coordination.k8s.io':
        return lease(node, access);
      case 'csinodes.storage.k8s.io':
        return csiNode(node, access);
      case 'resourceslices.resource.k8s.io':
        return this.#resourceSlice(node, access);
      case 'nodes':
        return nodeAccess(node, access);
      case 'pods':
        return this.#pod(node, access);
      case 'podcertificaterequests.certificates.k8s.io':
        return this.#podCertificate(node, access);
      default:
        return undefined;
    }
  }

  #related(node: string, { resource, namespace, name }: ResourceAccess): AccessDecision {
    if (name === '') return no('No Object name found');
    if (this.#graph.leads(resource.plural, keyFrom(namespace, name), node)) return ALLOWED;
    return no(`no relationship found between node '${node}' and this object`);
  }

  #read(node: string, access: ResourceAccess): AccessDecision {
    if (!['get', 'list', 'watch'].includes(access.verb)) return no('can only read resources of this type');
    if (isPart(access)) return no('cannot read subresource');
    if ((access.namespace ?? '') === '') return no('can only read namespaced object of this type');
    return this.#related(node, access);
  }

  #get(node: string, access: ResourceAccess): AccessDecision {
    if (access.verb !== 'get') return no('can only get individual resources of this type');
    return isPart(access) ? no('cannot get subresource') : this.#related(node, access);
  }

  #statusUpdate(node: string, access: ResourceAccess): AccessDecision {
    if (access.verb !== 'update' && access.verb !== 'patch') return no('can only get/update/patch this type');
    return this.#related(node, access);
  }

  #serviceAccount(node: string, access: ResourceAccess): AccessDecision {
    if (access.verb === 'get' && !isPart(access)) return this.#read(node, access);
    if (access.verb !== 'create' || access.name === '')
      return no('can only create tokens for individual service accounts');
    if (access.subresource !== 'token') return no('can only create token subresource of serviceaccount');
    return this.#related(node, access);
  }

  #resourceSlice(node: string, access: ResourceAccess): AccessDecision {
    if (isPart(access)) return no('cannot authorize ResourceSlice subresources');
    switch (access.verb) {
      case 'create':
        return ALLOWED;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return this.#related(node, access);
      case 'list':
      case 'watch':
      case 'deletecollection':
        return selectsNode(access, node)
          ? ALLOWED
          : no('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return no(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  #podCertificate(node: string, access: ResourceAccess): AccessDecision {
    if (isPart(access)) return no('nodes may not access the status subresource of PodCertificateRequests');
    switch (access.verb) {
      case 'create':
        return ALLOWED;
      case 'get':
        return this.#related(node, access);
      case 'list':
      case 'watch':
        return selectsNode(access, node)
          ? ALLOWED
          : no('can only list/watch podcertificaterequests with nodeName field selector');
      default:
        return no(`nodes may not ${access.verb} podcertificaterequests`);
    }
  }

  #pod(node: string, access: ResourceAccess): AccessDecision {
    switch (access.subresource ?? '') {
      case '':
        return this.#wholePod(node, access);
      case 'status':
        return access.verb === 'update' || access.verb === 'patch' ? ALLOWED : NO_OPINION;
      case 'eviction':
        return access.verb === 'create' ? ALLOWED : NO_OPINION;
      default:
        return NO_OPINION;
    }
  }

  #wholePod(node: string, access: ResourceAccess): AccessDecision {
    switch (access.verb) {
      case 'get':
        return this.#get(node, access);
      case 'list':
      case 'watch':
        if (selectsNode(access, node)) return ALLOWED;
        return access.name === ''
          ? no('can only list/watch pods with spec.nodeName field selector')
          : this.#related(node, access);
      case 'create':
      case 'delete':
        return ALLOWED;
      default:
        return NO_OPINION;
    }
  }
}

const isPart = ({ subresource = '' }: ResourceAccess): boolean => subresource !== '';

function selectsNode({ fieldSelector = '' }: ResourceAccess, node: string): boolean {
  return fieldSelector
    .split(',')
    .some((each) => /^spec\.nodeName==?/.test(each) && each.replace(/^[^=]*==?/, '') === node);
}

const OWN_VERBS = ['get', 'create', 'update', 'patch', 'delete'];

function lease(node: string, { verb, namespace, name }: ResourceAccess): AccessDecision {
  if (!OWN_VERBS.includes(verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (namespace !== LEASE_NAMESPACE) return no(`can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
  if (verb === 'create' || name === node) return ALLOWED;
  return no('can only access node lease with the same name as the requesting node');
}

function csiNode(node: string, access: ResourceAccess): AccessDecision {
  const { verb, name } = access;
  if (!OWN_VERBS.includes(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (isPart(access)) return no('cannot authorize CSINode subresources');
  if (verb === 'create' || name === node) return ALLOWED;
  return no('can only access CSINode with the same name as the requesting node');
}

function nodeAccess(node: string, { verb, subresource = '', name }: ResourceAccess): AccessDecision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : NO_OPINION;
  if (subresource !== '') return NO_OPINION;
  switch (verb) {
    case 'create':
    case 'update':
    case 'patch':
      return ALLOWED;
    case 'get':
    case 'list':
    case 'watch':
      if (name === node) return ALLOWED;
      return no(
        name === ''
          ? `node '${node}' cannot read all nodes, only its own Node object`
          : `node '${node}' cannot read '${name}', only its own Node object`,
      );
    default:
      return NO_OPINION;
  }
}
