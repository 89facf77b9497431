// Admission plugins see a decoded, defaulted write before validation. `admit` may change the object, `review` may only refuse.
import type { KubeObject, ObjectKey, Resource, ResourceName } from '../../kube/object.ts';

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: Resource<KubeObject>;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  /** undefined for DELETE. */
  readonly object: KubeObject | undefined;
  /** undefined for CREATE. */
  readonly before: KubeObject | undefined;
  readonly user: string;
  readonly groups: readonly string[];
  readonly dryRun: boolean;
}

/** Something that is posted below an object, which `namespace` and `name` are of. */
export interface PostedRequest {
  readonly resource: ResourceName;
  readonly subresource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly object: KubeObject;
  readonly user: string;
  readonly groups: readonly string[];
}

/** What plugins may read: the newest stored state, synchronously. */
export interface AdmissionReader {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): T | undefined;
  all<T extends KubeObject>(resource: Resource<T>, namespace?: string): Iterable<T>;
}

export interface AdmissionPlugin {
  readonly name: string;
  admit?(request: AdmissionRequest, reader: AdmissionReader): KubeObject | undefined;
  /** Something is posted below an object: a binding, an eviction, a request for a token. Throws an ApiError to refuse. */
  post?(request: PostedRequest, reader: AdmissionReader): void;
  /** Throws an ApiError to refuse. Runs after validation. */
  review?(request: AdmissionRequest, reader: AdmissionReader): void;
}
