// What a path asks for, by its form alone; whether there is such a group or resource is found out later.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go
import { badRequest } from '../../kube/api-error.ts';

export interface ResourcePath {
  readonly type: 'resource';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** What follows the subresource: the path to proxy to. */
  readonly below: readonly string[];
  /** The old form of a watch, with `watch` before the resource. */
  readonly isWatch: boolean;
}

export type RequestPath =
  | ResourcePath
  /** `/api` and `/apis`. */
  | { readonly type: 'root'; readonly root: 'api' | 'apis' }
  | { readonly type: 'group'; readonly group: string }
  | { readonly type: 'version'; readonly group: string; readonly version: string }
  | { readonly type: 'other'; readonly words: readonly string[] };

/** Below a namespace these are parts of the namespace itself, not kinds that live in it. */
const PARTS_OF_NAMESPACE: ReadonlySet<string> = new Set(['status', 'finalize']);

export function parsePath(path: string): RequestPath {
  const words = trimSlashes(decoded(path)).split('/');
  const [root, ...rest] = words;
  if (root === 'api') {
    const [version, ...below] = rest;
    return version === undefined ? { type: 'root', root } : inVersion('', version, below);
  }
  if (root === 'apis') {
    const [group, version, ...below] = rest;
    if (group === undefined) return { type: 'root', root };
    return version === undefined ? { type: 'group', group } : inVersion(group, version, below);
  }
  return { type: 'other', words: words.filter((word) => word !== '') };
}

function inVersion(group: string, version: string, words: readonly string[]): RequestPath {
  if (words.length === 0) return { type: 'version', group, version };
  const isWatch = words[0] === 'watch' && words.length > 1;
  const [first = '', second, third = ''] = isWatch ? words.slice(1) : words;
  const isInNamespace =
    first === 'namespaces' && second !== undefined && third !== '' && !PARTS_OF_NAMESPACE.has(third);
  const own = isWatch ? words.slice(1) : words;
  const [plural = '', name, subresource, ...below] = isInNamespace ? own.slice(2) : own;
  const namespace = isInNamespace ? second : undefined;
  return { type: 'resource', group, version, plural, namespace, name, subresource, below, isWatch };
}

function trimSlashes(path: string): string {
  let [start, end] = [0, path.length];
  while (start < end && path.charAt(start) === '/') start++;
  while (end > start && path.charAt(end - 1) === '/') end--;
  return path.slice(start, end);
}

/** Before it is split: an escaped slash separates as well. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest(`invalid URL escape in the path ${JSON.stringify(path)}`);
  }
}
