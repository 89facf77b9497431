// Which objects a controller manages. An object belongs to the controller that its controlling owner reference names;
// one without such a reference may be adopted by whoever selects it. What always holds: nobody takes an object that has
// a controller, and a controller that is being deleted neither adopts nor releases.
// kubernetes:pkg/controller/controller_ref_manager.go
import { isApiError } from './api-error.ts';
import type { Cluster } from './cluster.ts';
import { type KubeObject, type Resource, keyOf } from './object.ts';
import { controllerOf, ownerReferenceTo } from './owner-reference.ts';

export type Ownership = 'owned' | 'foreign' | 'adopt' | 'release';

export function decideOwnership(controller: KubeObject, object: KubeObject, isWanted: boolean): Ownership {
  const owner = controllerOf(object);
  const isLeaving = controller.metadata.deletionTimestamp !== undefined;
  if (owner !== undefined) {
    if (owner.uid !== controller.metadata.uid) return 'foreign';
    if (isWanted) return 'owned';
    return isLeaving ? 'foreign' : 'release';
  }
  if (isLeaving || !isWanted || object.metadata.deletionTimestamp !== undefined) return 'foreign';
  return object.metadata.namespace === controller.metadata.namespace ? 'adopt' : 'foreign';
}

/** Index function: an object is found by the uid of its controller, or among the orphans of its namespace. */
export function controllerKeysOf(object: KubeObject): readonly string[] {
  const owner = controllerOf(object);
  return [owner === undefined ? orphansOf(object.metadata.namespace) : owner.uid];
}

/** Where `controllerKeysOf` puts what has no controller. */
export const orphansOf = (namespace: string | undefined): string => `orphans of ${namespace ?? ''}`;

export interface ClaimOptions<C extends KubeObject, T extends KubeObject> {
  readonly cluster: Cluster;
  readonly controller: C;
  readonly controllerResource: Resource<C>;
  readonly resource: Resource<T>;
  readonly objects: Iterable<T>;
  readonly isWanted: (object: T) => boolean;
}

/**
 * Adopts and releases, and answers what the controller manages now, in the order given. Every object is tried; the first
 * failure is thrown at the end. Before the first adoption the controller is read live, because the cache may not know
 * yet that it is being deleted.
 */
export async function claimControlled<C extends KubeObject, T extends KubeObject>(
  options: ClaimOptions<C, T>,
): Promise<readonly T[]> {
  const claimed: T[] = [];
  const failures: unknown[] = [];
  const live: { read?: Promise<void> } = {};
  for (const object of options.objects) {
    const ownership = decideOwnership(options.controller, object, options.isWanted(object));
    try {
      if (ownership === 'adopt') await checkedAdoption(options, object, live);
      if (ownership === 'release') await release(options, object);
      if (ownership === 'owned' || ownership === 'adopt') claimed.push(object);
    } catch (error) {
      if (!isApiError(error, 'NotFound')) failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return claimed;
}

async function checkedAdoption<C extends KubeObject, T extends KubeObject>(
  options: ClaimOptions<C, T>,
  object: T,
  live: { read?: Promise<void> },
): Promise<void> {
  live.read ??= checkLive(options);
  try {
    await live.read;
  } catch (error) {
    const about = `${object.kind} ${keyOf(object)} (${object.metadata.uid})`;
    throw new Error(`can't adopt ${about}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  await adopt(options, object);
}

async function checkLive<C extends KubeObject>(options: {
  readonly cluster: Cluster;
  readonly controller: C;
  readonly controllerResource: Resource<C>;
}): Promise<void> {
  const { cluster, controller, controllerResource } = options;
  const key = keyOf(controller);
  const { uid, deletionTimestamp } = (await cluster.get(controllerResource, key)).metadata;
  const wanted = controller.metadata.uid;
  if (uid !== wanted) throw new Error(`original ${controller.kind} ${key} is gone: got uid ${uid}, wanted ${wanted}`);
  if (deletionTimestamp !== undefined) throw new Error(`${key} has just been deleted at ${deletionTimestamp}`);
}

/** The server refuses the patch if another controller was faster, or if the name belongs to another object by now. */
async function adopt<T extends KubeObject>(
  { cluster, controller, resource }: Pick<ClaimOptions<KubeObject, T>, 'cluster' | 'controller' | 'resource'>,
  object: T,
): Promise<void> {
  const ownerReferences = [ownerReferenceTo(controller, { controller: true, blockOwnerDeletion: true })];
  const body = { metadata: { ownerReferences, uid: object.metadata.uid } };
  await cluster.patch(resource, keyOf(object), { type: 'strategic', body });
}

/** Invalid means that the reference is gone already, or that the name belongs to another object. */
async function release<T extends KubeObject>(
  { cluster, controller, resource }: Pick<ClaimOptions<KubeObject, T>, 'cluster' | 'controller' | 'resource'>,
  object: T,
): Promise<void> {
  const ownerReferences = [{ $patch: 'delete', uid: controller.metadata.uid }];
  const body = { metadata: { uid: object.metadata.uid, ownerReferences } };
  try {
    await cluster.patch(resource, keyOf(object), { type: 'strategic', body });
  } catch (error) {
    if (!isApiError(error, 'Invalid')) throw error;
  }
}
