// What a bookmark carries: of its object only the version counts, the rest is the empty object of its kind as Go writes it.
import type { WatchEvent } from '../../kube/cluster.ts';
import { shapeObject } from '../../kube/go-shape.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { ServedApi } from './served-apis.ts';

type Bookmark = Extract<WatchEvent<KubeObject>, { readonly type: 'BOOKMARK' }>;
type KindFacts = Pick<ServedApi, 'group' | 'version' | 'kind' | 'resource'>;

export function bookmarkObject({ resourceVersion, initialEventsEnd }: Bookmark, api: KindFacts): KubeObject {
  const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const { resource, kind, group, version } = api;
  const shape = resource ?? { plural: '', namespaced: false, kind, group, version };
  // Workloads pass through a form in which the number of replicas is always there.
  const spec = resource?.schema?.fields['spec']?.of;
  const isScaled = spec?.type === 'message' && Object.hasOwn(spec.message.fields, 'replicas');
  const empty = { metadata: { resourceVersion, ...annotations }, ...(isScaled ? { spec: { replicas: 0 } } : {}) };
  return withoutLists(shapeObject(shape, empty)) as KubeObject;
}

/** A list that was never set is null, not empty. */
function withoutLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutLists(each)]));
}
