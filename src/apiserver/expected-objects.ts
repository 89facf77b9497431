// Objects that a server makes be there by itself: namespaces, roles, priorities, the service that leads to it. What is stored is
// looked at first, so that a start on a store that has everything writes nothing.
import { isApiError } from '../kube/api-error.ts';
import type { KubeObject, ObjectKey, Resource } from '../kube/object.ts';
import type { ApiRequest } from './api-request.ts';
import { ITS_FIELD_MANAGER } from './server-itself.ts';

export type ExpectedStep =
  | { readonly type: 'none' }
  | { readonly type: 'create' | 'update' | 'recreate'; readonly object: KubeObject };

/** Something to be there, before it has a uid or a version. */
export interface ExpectedObject {
  readonly resource: Resource<KubeObject>;
  readonly key: ObjectKey;
  readonly object: KubeObject;
}

/** What is to be done about one object, given what is stored. */
export type DecideExpected = (expected: KubeObject, existing: KubeObject | undefined) => ExpectedStep;

/** What is there belongs to whoever changed it. */
export const createMissing: DecideExpected = (object, existing) =>
  existing === undefined ? { type: 'create', object } : { type: 'none' };

interface Writing {
  stored(resource: Resource<KubeObject>, key: ObjectKey): KubeObject | undefined;
  request(request: ApiRequest): unknown;
}

/** All at once: they wait for the disk together. */
export async function ensureObjects(
  expected: readonly ExpectedObject[],
  decide: DecideExpected,
  writing: Writing,
): Promise<void> {
  await Promise.all(
    expected.map(async (each) => {
      const { resource, key, object } = each;
      for (const request of requestsFor(each, decide(object, writing.stored(resource, key)))) {
        try {
          await writing.request(request);
        } catch (error) {
          // Another server of the same storage was faster.
          if (!isApiError(error, 'AlreadyExists') && !isApiError(error, 'Conflict')) throw error;
        }
      }
    }),
  );
}

function requestsFor({ resource, key }: ExpectedObject, step: ExpectedStep): readonly ApiRequest[] {
  if (step.type === 'none') return [];
  const { object } = step;
  const options = { fieldManager: ITS_FIELD_MANAGER };
  if (step.type === 'update') return [{ verb: 'update', resource, key, object, options }];
  const create: ApiRequest = { verb: 'create', resource, namespace: object.metadata.namespace, object, options };
  return step.type === 'create' ? [create] : [{ verb: 'delete', resource, key }, create];
}
