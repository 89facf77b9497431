// What a controller finds that asks a served cluster for all kinds that can be listed, watched and deleted.
import { type KubeObject, type Resource } from '../kube/object.ts';
import { SERVED_KINDS } from '../kube/resources/served-kinds.ts';
import { BUILT_IN_RESOURCES } from '../kube/schema-table.ts';

/** The kinds of the storage chain and their workloads: all that a simulated cluster serves. */
export const declaredKinds = (): readonly Resource<KubeObject>[] => SERVED_KINDS.map(({ resource }) => resource);

/** Those and every other built-in kind. One that is served in several versions is named by the first. */
export function deletableKinds(): readonly Resource<KubeObject>[] {
  const kinds = [...declaredKinds()];
  // Events are served twice; the core ones are declared.
  const taken = new Set(['events.events.k8s.io', ...kinds.map(nameOf)]);
  for (const { group, version, plural, kind, namespaced, verbs } of BUILT_IN_RESOURCES) {
    const resource = { group, version, plural, kind, namespaced };
    if (taken.has(nameOf(resource)) || !verbs.includes('delete') || !verbs.includes('watch')) continue;
    taken.add(nameOf(resource));
    kinds.push(resource);
  }
  return kinds;
}

const nameOf = ({ plural, group }: Resource<KubeObject>): string => `${plural}.${group}`;
