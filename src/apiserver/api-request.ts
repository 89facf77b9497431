// Requests and answers of the server's core, free of HTTP: resource, key and options instead of path, header and body.
import type { ListOptions, ObjectList, Patch, WriteOptions } from '../kube/cluster.ts';
import { faultsOfName } from '../kube/names.ts';
import { type KubeObject, type ObjectKey, type ResourceName, splitKey } from '../kube/object.ts';
import type { Access, User } from './authorization.ts';
import type { Call, TextFault } from './registry/generic-call.ts';
import type { SentDeleteOptions } from './registry/generic-delete-options.ts';

/** As they come over the wire: with what was wrong with the text. */
export interface SentWriteOptions extends WriteOptions {
  readonly textFaults?: readonly TextFault[];
  /** Is filled with the texts for Warning headers, even when the request is refused. */
  readonly warnings?: string[];
}

interface OnCollection {
  readonly resource: ResourceName;
}
interface OnObject extends OnCollection {
  readonly key: ObjectKey;
  readonly subresource?: string;
}
export type ApiRequest =
  | (OnObject & { readonly verb: 'get'; readonly resourceVersion?: string })
  | (OnCollection & { readonly verb: 'list'; readonly options: ListOptions })
  | (OnCollection & {
      readonly verb: 'create';
      readonly namespace: string | undefined;
      readonly object: unknown;
      readonly options?: SentWriteOptions;
    })
  /** A create below an object: binding, eviction, token. */
  | (OnObject & {
      readonly verb: 'post';
      readonly subresource: string;
      readonly body: unknown;
      readonly options?: SentWriteOptions;
    })
  | (OnObject & { readonly verb: 'update'; readonly object: unknown; readonly options?: SentWriteOptions })
  | (OnObject & { readonly verb: 'patch'; readonly patch: Patch; readonly options?: SentWriteOptions })
  | (OnObject & { readonly verb: 'delete'; readonly options?: SentDeleteOptions })
  | (OnCollection & {
      readonly verb: 'deletecollection';
      readonly of: ListOptions;
      readonly options?: SentDeleteOptions;
    });

/** `metav1.Status` of a success. */
export interface SuccessStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Success';
  readonly details?: { readonly name: string; readonly group?: string; readonly kind: string; readonly uid: string };
  readonly code?: number;
}

export type ApiAnswer = { readonly code: number; readonly warnings: readonly string[] } & (
  | { readonly type: 'object'; readonly object: KubeObject }
  | { readonly type: 'list'; readonly list: ObjectList<KubeObject> }
  | { readonly type: 'status'; readonly status: SuccessStatus }
);

export function accessOf(request: ApiRequest): Access {
  const { resource } = request;
  const verb = request.verb === 'post' ? 'create' : request.verb;
  if ('key' in request) {
    return { verb, resource, subresource: request.subresource ?? resource.subresource, ...splitKey(request.key) };
  }
  return { verb, resource, subresource: resource.subresource, ...scopeOf(request) };
}

type Scope = Pick<Access, 'namespace' | 'name' | 'fieldSelector'>;

function scopeOf(request: Exclude<ApiRequest, OnObject>): Scope {
  switch (request.verb) {
    case 'create':
      return { namespace: request.namespace, name: '' };
    case 'list':
      return selectionOf(request.options);
    default:
      return selectionOf(request.of);
  }
}

/** Many objects, unless the selector asks for one by its name. */
export function selectionOf({ namespace, fieldSelector }: ListOptions): Scope {
  if (fieldSelector === undefined || fieldSelector === '') return { namespace, name: '' };
  return { namespace, name: nameSelectedBy(fieldSelector), fieldSelector };
}

/** kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go */
function nameSelectedBy(fieldSelector: string): string {
  const [, name = ''] = /(?:^|,)metadata\.name==?([^,=\\]+)(?:,|$)/.exec(fieldSelector) ?? [];
  return faultsOfName('path-segment', name).length === 0 ? name : '';
}

function writeOptionsOf(request: ApiRequest): SentWriteOptions {
  if (request.verb === 'get' || request.verb === 'list') return {};
  return request.options ?? {};
}

export function callFor(request: ApiRequest, { verb, subresource }: Access, user: User): Call {
  const options = writeOptionsOf(request);
  return {
    user,
    verb,
    subresource,
    dryRun: options.dryRun === true,
    fieldValidation: options.fieldValidation ?? 'Warn',
    fieldManager: options.fieldManager,
    ...(options.textFaults === undefined ? {} : { textFaults: options.textFaults }),
    warnings: options.warnings ?? [],
  };
}
