// The chain of admission plugins around one write. `admit` may change the object, `review` only refuse it.
import type { KubeObject, ObjectMeta, Resource } from '../../kube/object.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest, PostedRequest } from '../admission/admission.ts';
import type { Call, StoredObject } from './generic-call.ts';

/** What a write is about: a new object, a change of one, or (without `object`) a deletion. */
export interface Admitted {
  readonly resource: Resource<KubeObject>;
  readonly object: StoredObject | undefined;
  readonly before: StoredObject | undefined;
}

export class AdmissionChain {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #reader: AdmissionReader;

  constructor(plugins: readonly AdmissionPlugin[], reader: AdmissionReader) {
    this.#plugins = plugins;
    this.#reader = reader;
  }

  admit(admitted: Admitted & { readonly object: StoredObject }, call: Call): StoredObject {
    if (this.#plugins.length === 0) return admitted.object;
    let request = requestFor(admitted, call);
    let { object } = admitted;
    for (const plugin of this.#plugins) {
      const changed = plugin.admit?.(request, this.#reader);
      if (changed === undefined || changed === object) continue;
      object = changed as StoredObject;
      request = { ...request, object };
    }
    return object;
  }

  review(admitted: Admitted, call: Call): void {
    if (this.#plugins.length === 0) return;
    const request = requestFor(admitted, call);
    for (const plugin of this.#plugins) plugin.review?.(request, this.#reader);
  }

  /** Something is posted below an object. */
  admitPosted(posted: Omit<PostedRequest, 'user' | 'groups'>, { user }: Call): void {
    for (const plugin of this.#plugins)
      plugin.post?.({ ...posted, user: user.name, groups: user.groups }, this.#reader);
  }

  /** A deletion has no object to change, but plugins that only admit may refuse it too. */
  reviewDeletion(admitted: Admitted, call: Call): void {
    if (this.#plugins.length === 0) return;
    const request = requestFor(admitted, call);
    for (const plugin of this.#plugins) plugin.admit?.(request, this.#reader);
    for (const plugin of this.#plugins) plugin.review?.(request, this.#reader);
  }
}

function requestFor({ resource, object, before }: Admitted, call: Call): AdmissionRequest {
  const metadata: Partial<ObjectMeta> = (object ?? before)?.metadata ?? {};
  return {
    operation: object === undefined ? 'DELETE' : before === undefined ? 'CREATE' : 'UPDATE',
    resource,
    subresource: call.subresource,
    namespace: metadata.namespace,
    name: metadata.name ?? '',
    object,
    before,
    user: call.user.name,
    groups: call.user.groups,
    dryRun: call.dryRun,
  };
}
