// What the cluster contract needs of whatever implements Cluster: a view of its own, and a way to let things happen.
import { expect } from 'vitest';
import { type ApiError, type ApiReason, isApiError } from '../../src/kube/api-error.ts';
import type { Cluster, Disposable, Draft, WatchEvent, WatchOptions } from '../../src/kube/cluster.ts';
import { type KubeObject, type ObjectKey, type Resource } from '../../src/kube/object.ts';
import { type ConfigMap, ConfigMaps } from '../../src/kube/resources/config-map.ts';
import type { PersistentVolumeClaim } from '../../src/kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../src/kube/resources/pod.ts';

export interface ContractSubject {
  readonly cluster: Cluster;
  /** Exists, has a service account `default`, and belongs to this test alone. */
  readonly namespace: string;
  /** Unique to this test, for objects without a namespace. */
  readonly prefix: string;
  /** Lets events arrive until the condition holds; fails if it never does. */
  until(condition: () => boolean): Promise<void>;
  /** Lets everything that is on its way arrive. */
  settle(): Promise<void>;
  /** Lets time pass. */
  advance(ms: number): Promise<void>;
  dispose(): Promise<void>;
}

export type MakeSubject = () => Promise<ContractSubject>;
/** Makes the body of a test that gets a fresh subject and clears it up. */
export type Using = (test: (subject: ContractSubject) => Promise<void>) => () => Promise<void>;

export const inNamespace = ({ namespace }: ContractSubject, name: string): ObjectKey => `${namespace}/${name}`;

export const configMap = (
  subject: ContractSubject,
  name: string,
  more: Partial<Draft<ConfigMap>> & { readonly labels?: Record<string, string>; readonly finalizers?: string[] } = {},
): Draft<ConfigMap> => {
  const { labels, finalizers, ...rest } = more;
  const metadata = {
    name,
    namespace: subject.namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, ...rest };
};

export const makeConfigMap = (
  subject: ContractSubject,
  name: string,
  more: Parameters<typeof configMap>[2] = {},
): Promise<ConfigMap> => subject.cluster.create(ConfigMaps, configMap(subject, name, more));

export const pod = (subject: ContractSubject, name: string, spec: Partial<Pod['spec']> = {}): Draft<Pod> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: subject.namespace, labels: { app: name } },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'busybox:1.36' }], ...spec },
});

export const claim = (subject: ContractSubject, name: string): Draft<PersistentVolumeClaim> => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: subject.namespace },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
});

/** Fails unless the promise is refused for this reason. */
export async function refused(promise: Promise<unknown>, reason: ApiReason): Promise<ApiError> {
  const error = await promise.then(
    () => expect.fail(`should be refused with ${reason}`),
    (thrown: unknown) => thrown,
  );
  if (!isApiError(error)) throw error;
  expect(error.reason, error.message).toBe(reason);
  return error;
}

/** A watch that remembers what it was told. */
export class Watched<T extends KubeObject> implements Disposable {
  readonly events: WatchEvent<T>[] = [];
  readonly ends: (ApiError | undefined)[] = [];
  readonly #watch: Disposable;

  constructor({ cluster }: ContractSubject, resource: Resource<T>, options: WatchOptions) {
    this.#watch = cluster.watch(resource, options, {
      event: (event) => void this.events.push(event),
      closed: (cause) => void this.ends.push(cause),
    });
  }

  /** `ADDED a`, `BOOKMARK` */
  get told(): readonly string[] {
    return this.events.map((event) => ('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type));
  }

  /** Why it ended, if something went wrong: told as an event or with the end. */
  get failure(): ApiError | undefined {
    const told = this.events.find((event) => event.type === 'ERROR');
    return told?.type === 'ERROR' ? told.error : this.ends[0];
  }

  dispose(): void {
    this.#watch.dispose();
  }
}
