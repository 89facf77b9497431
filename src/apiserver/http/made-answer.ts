// Answers about kinds whose objects are no objects of the store: they are made when they are asked for.
import { notFound } from '../../kube/api-error.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { ApiAnswer } from '../api-request.ts';
import { Selection } from '../registry/generic-selection.ts';
import { listOptionsOf } from './query-options.ts';
import type { ResourceRoute } from './resource-route.ts';
import type { MadeObject } from './served-apis.ts';

/** Throws NotFound, and BadRequest for selectors that make no sense. */
export function madeAnswer(
  { api, namespace, name, verb }: ResourceRoute,
  made: readonly MadeObject[],
  query: URLSearchParams,
): ApiAnswer {
  // What answers are made of does not ask for what these lack.
  const objects = made as readonly KubeObject[];
  const base = { code: 200, warnings: [] };
  if (verb === 'get') {
    const object = objects.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    if (object === undefined) throw notFound(api, name);
    return { ...base, type: 'object', object };
  }
  const selection = new Selection({ resource: api }, listOptionsOf(query, namespace));
  const items = objects.filter((object) => selection.matches(object));
  return { ...base, type: 'list', list: { items, resourceVersion: '' } };
}
