// Paths and queries of the Kubernetes API. Pure.
import type { ChangeOptions, DeleteOptions, ListOptions, Patch, WatchOptions } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource, splitKey } from '../kube/object.ts';

type AnyResource = Pick<Resource<KubeObject>, 'group' | 'version' | 'plural' | 'subresource'>;

/** The path of a collection, of all namespaces if none is named. */
export function collectionPath({ group, version, plural }: AnyResource, namespace: string | undefined): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const inside = namespace === undefined || namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${inside}/${plural}`;
}

/** The path of an object, or of what lies below it. */
export function objectPath(resource: AnyResource, key: ObjectKey, subresource = resource.subresource): string {
  const { namespace, name } = splitKey(key);
  const below = subresource === undefined ? '' : `/${subresource}`;
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}${below}`;
}

type Value = string | number | boolean | undefined;

/** `?a=b&c=d`; what is undefined is left out. */
export function queryOf(parameters: Readonly<Record<string, Value>>): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

export function listQuery({
  namespace: _path,
  ...options
}: ListOptions | WatchOptions): Readonly<Record<string, Value>> {
  return { ...options };
}

export const writeQuery = ({
  fieldManager,
  dryRun,
  fieldValidation,
}: ChangeOptions): Readonly<Record<string, Value>> => ({
  fieldManager,
  fieldValidation,
  dryRun: dryRun === true ? 'All' : undefined,
});

export const PATCH_TYPES: Readonly<Record<Patch['type'], string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export const patchBody = (patch: Patch): unknown => (patch.type === 'json' ? patch.ops : patch.body);

export function deleteBody({ dryRun, ...options }: DeleteOptions): object {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...options, ...(dryRun === true ? { dryRun: ['All'] } : {}) };
}
