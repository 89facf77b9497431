// Kubernetes objects inside a story file: one mapping, a list of them, or none.
import type { Draft } from '../kube/cluster.ts';
import { type KubeObject, type ObjectKey, keyFrom } from '../kube/object.ts';
import { type ServedKind, SERVED_KINDS, findKind, kindOf } from '../kube/resources/served-kinds.ts';
import type { Manifest, Target } from './story.ts';
import { type YamlValue, nearest } from './yaml-reader.ts';

const DEFAULT_NAMESPACE = 'default';

export function readManifests(value: YamlValue | undefined, what: string): readonly Manifest[] {
  if (value === undefined) return [];
  return value.isList ? value.list(what).map((each) => readManifest(each, what)) : [readManifest(value, what)];
}

/** The API judges the object; here only what is needed to send it is asked for. */
function readManifest(value: YamlValue, what: string): Manifest {
  const fields = value.entries(`an object of ${what}`);
  const kind = fields.get('kind') ?? value.fail(`an object of ${what} needs a kind`);
  const served = servedKind(kind, fields.get('apiVersion'));
  const metadata =
    fields.get('metadata')?.entries('metadata') ?? value.fail(`the ${served.resource.kind} needs metadata`);
  if (!metadata.has('name') && !metadata.has('generateName'))
    fields.get('metadata')?.fail(`the ${served.resource.kind} needs a name`);
  const { group, version } = served.resource;
  const given = value.json() as Draft<KubeObject>;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const namespace = served.resource.namespaced ? { namespace: given.metadata.namespace ?? DEFAULT_NAMESPACE } : {};
  const object = { ...given, apiVersion, kind: served.resource.kind, metadata: { ...given.metadata, ...namespace } };
  return { resource: served.resource, object, place: value.place };
}

function servedKind(kind: YamlValue, apiVersion: YamlValue | undefined): ServedKind {
  const name = kind.text('kind');
  const version = apiVersion?.text('apiVersion');
  const served =
    version === undefined ? SERVED_KINDS.find(({ resource }) => resource.kind === name) : kindOf(version, name);
  if (served !== undefined) return served;
  const known = SERVED_KINDS.map(({ resource }) => resource.kind);
  if (version === undefined || !known.includes(name)) return kind.fail(`unknown kind "${name}"${nearest(name, known)}`);
  return (apiVersion ?? kind).fail(`no kind ${name} in ${version}`);
}

/** `pvc/data`, `pod/other-namespace/web-0`, `pv/disk-1`. */
export function readTarget(value: YamlValue, text: string): Target {
  const parts = text.split('/');
  const [kindName = ''] = parts;
  const kind = findKind(kindName);
  if (kind === undefined) {
    const known = SERVED_KINDS.map(({ singular, shortNames }) => shortNames[0] ?? singular);
    return value.fail(`unknown kind "${kindName}" in "${text}"${nearest(kindName, known)}`);
  }
  return { resource: kind.resource, key: keyOfTarget(value, text, kind), text };
}

function keyOfTarget(value: YamlValue, text: string, { resource }: ServedKind): ObjectKey {
  const [, first = '', second, ...rest] = text.split('/');
  if (first === '' || second === '' || rest.length > 0)
    return value.fail(`"${text}" names no object: write KIND/NAME or KIND/NAMESPACE/NAME`);
  if (!resource.namespaced)
    return second === undefined ? first : value.fail(`"${text}": ${resource.plural} have no namespace`);
  return second === undefined ? keyFrom(DEFAULT_NAMESPACE, first) : keyFrom(first, second);
}
