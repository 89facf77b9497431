// Empties a namespace that is being deleted, kind by kind, and lets it go when nothing is left. Content may come and go
// at any moment: every pass lists what is really there, and only a pass that finds nothing takes the finalizer off.
import { SECOND_MS } from '../../base/clock.ts';
import { foundObject } from '../../kube/found-object.ts';
import { type KubeObject, type Resource, isOf } from '../../kube/object.ts';
import { type Namespace, Namespaces } from '../../kube/resources/namespace.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { type Remainder, conditionsOf, sameConditions } from './namespace-conditions.ts';

/** kubernetes:pkg/controller/namespace/config/v1alpha1/defaults.go (`--concurrent-namespace-syncs`) */
const WORKERS = 10;
/** kubernetes:staging/src/k8s.io/api/core/v1/types.go */
const FINALIZER_KUBERNETES = 'kubernetes';
/** Content without a grace period of its own is looked at again after this. kubernetes:pkg/controller/namespace/deletion/namespaced_resources_deleter.go */
const FINALIZER_ESTIMATE_SECONDS = 15;

export interface NamespaceControllerSettings {
  /** The namespaced kinds that can be listed and deleted. */
  readonly resources: readonly Resource<KubeObject>[];
}

export function namespaceController(settings: NamespaceControllerSettings): Component {
  return {
    name: 'namespace-controller',
    start: (context) => {
      const informers = new InformerFactory(context);
      const namespaces = informers.of(Namespaces);
      const deleter = new NamespaceDeleter(context, settings, namespaces);
      startController({
        reconciler: {
          name: 'namespace-controller',
          kind: 'Namespace',
          reconcile: (key, turn) => deleter.reconcile(key, turn),
        },
        triggers: [
          trigger(namespaces, ({ type, object }) =>
            type !== 'deleted' && isTerminating(object) ? [object.metadata.name] : [],
          ),
        ],
        workers: WORKERS,
        context,
        waitFor: [informers],
      });
      informers.start();
    },
  };
}

const isTerminating = (namespace: Namespace): boolean => namespace.metadata.deletionTimestamp !== undefined;

/** What one pass over the content found. */
interface Content {
  readonly remainders: readonly Remainder[];
  readonly failures: readonly string[];
  readonly estimateSeconds: number;
}

class NamespaceDeleter {
  readonly #context: ComponentContext;
  readonly #settings: NamespaceControllerSettings;
  readonly #namespaces: Informer<Namespace>;

  constructor(context: ComponentContext, settings: NamespaceControllerSettings, namespaces: Informer<Namespace>) {
    this.#context = context;
    this.#settings = settings;
    this.#namespaces = namespaces;
  }

  async reconcile(name: string, turn: Turn): Promise<Outcome> {
    const known = this.#namespaces.get(name);
    if (known === undefined || !isTerminating(known)) return { type: 'settled' };
    // The watch may still tell of a namespace that is gone, while another of its name has content that must stay.
    const namespace = await foundObject(turn.cluster, Namespaces, name);
    if (namespace === undefined || !isTerminating(namespace)) return { type: 'settled' };
    if (!(namespace.spec.finalizers ?? []).includes(FINALIZER_KUBERNETES)) return { type: 'settled' };
    const { remainders, failures, estimateSeconds } = await this.#empty(namespace, turn);
    const updated = await this.#report(namespace, remainders, failures, turn);
    if (failures.length > 0)
      throw new Error(`content of namespace ${name} could not be deleted: ${failures.join(', ')}`);
    if (estimateSeconds > 0) {
      const after = (Math.floor(estimateSeconds / 2) + 1) * SECOND_MS;
      return { type: 'requeue', after, waitingFor: 'the content of the namespace to go' };
    }
    await this.#finalize(updated, turn);
    return { type: 'settled' };
  }

  /** Pods go first: what they use stays until the last of them is gone. */
  async #empty(namespace: Namespace, turn: Turn): Promise<Content> {
    const kinds = this.#settings.resources;
    const pods = await this.#emptyKinds(kinds.filter(isPods), namespace, turn);
    if (pods.remainders.length > 0) return { ...pods, remainders: [] };
    return this.#emptyKinds(
      kinds.filter((each) => !isPods(each)),
      namespace,
      turn,
    );
  }

  async #emptyKinds(kinds: readonly Resource<KubeObject>[], namespace: Namespace, turn: Turn): Promise<Content> {
    const remainders: Remainder[] = [];
    const failures: string[] = [];
    let estimateSeconds = 0;
    for (const resource of kinds) {
      const attempted = await attempt(() => this.#emptyKind(resource, namespace.metadata.name, turn));
      if (attempted.failed) failures.push(messageOf(attempted.error));
      if (attempted.failed || attempted.value.length === 0) continue;
      const left = attempted.value;
      remainders.push(remainderOf(resource, left));
      const estimate = this.#estimate(namespace, left);
      if (estimate === 0)
        failures.push(
          `unexpected items still remain in namespace: ${namespace.metadata.name} for gvr: ${gvr(resource)}`,
        );
      estimateSeconds = Math.max(estimateSeconds, estimate);
    }
    return { remainders, failures, estimateSeconds };
  }

  /** Seconds until these may be gone: the longest grace of the pods, or a guess for what waits for finalizers. 0: nothing explains them. */
  #estimate(namespace: Namespace, left: readonly KubeObject[]): number {
    const elapsedSeconds =
      (this.#context.clock.now() - Date.parse(namespace.metadata.deletionTimestamp ?? '')) / SECOND_MS;
    const graceSeconds = Math.max(...left.map(graceOf));
    if (graceSeconds > elapsedSeconds) return graceSeconds;
    return left.some(({ metadata }) => (metadata.finalizers ?? []).length > 0) ? FINALIZER_ESTIMATE_SECONDS : 0;
  }

  /** What is still there after the delete was asked for. */
  async #emptyKind(resource: Resource<KubeObject>, namespace: string, turn: Turn): Promise<readonly KubeObject[]> {
    await turn.cluster.deleteCollection(resource, { namespace }, { propagationPolicy: 'Background' });
    return (await turn.cluster.list(resource, { namespace })).items;
  }

  async #report(
    namespace: Namespace,
    remainders: readonly Remainder[],
    failures: readonly string[],
    turn: Turn,
  ): Promise<Namespace> {
    const before = namespace.status.conditions ?? [];
    const conditions = conditionsOf(remainders, failures, before, this.#context.clock.now());
    if (sameConditions(conditions, before)) return namespace;
    return turn.cluster.update(
      Namespaces,
      { ...namespace, status: { ...namespace.status, conditions } },
      { subresource: 'status' },
    );
  }

  async #finalize(namespace: Namespace, turn: Turn): Promise<void> {
    const finalizers = (namespace.spec.finalizers ?? []).filter((each) => each !== FINALIZER_KUBERNETES);
    await turn.cluster.update(
      Namespaces,
      { ...namespace, spec: { ...namespace.spec, finalizers } },
      { subresource: 'finalize' },
    );
  }
}

function remainderOf({ plural, group }: Resource<KubeObject>, left: readonly KubeObject[]): Remainder {
  const finalizers = new Map<string, number>();
  for (const { metadata } of left) {
    for (const finalizer of metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  return { resource: `${plural}.${group}`, count: left.length, finalizers };
}

function graceOf(object: KubeObject): number {
  if (!isOf(Pods, object)) return 0;
  const { spec, status } = object;
  const ended = status.phase === 'Succeeded' || status.phase === 'Failed';
  return ended ? 0 : (spec.terminationGracePeriodSeconds ?? 0);
}

const isPods = ({ group, plural }: Resource<KubeObject>): boolean => group === '' && plural === 'pods';
const gvr = ({ group, version, plural }: Resource<KubeObject>): string => `${group}/${version}, Resource=${plural}`;
