// Counts what each quota's namespace really uses. Admission charges a quota with every write; this controller fills a new
// quota, gives back what deletions free, and mends what a failed write left charged. Counts come from watches: a quota is
// never shown a number that no moment of the namespace had.
import type { DurationMs } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import { type KubeObject, type ObjectKey, type Resource, isOf, keyOf } from '../../kube/object.ts';
import { sameAmounts } from '../../kube/quantity.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { type ResourceQuota, ResourceQuotas } from '../../kube/resources/resource-quota.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Trigger, type Turn, startController, trigger } from '../../runtime/controller.ts';
import { every } from '../../runtime/every.ts';
import type { Change, Informer } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { type Stock, chargedNames, totalUsage } from '../../volume/quota-usage.ts';

/** kubernetes:pkg/controller/resourcequota/config/v1alpha1/defaults.go (`--concurrent-resource-quota-syncs`) */
const WORKERS = 5;

export interface ResourceQuotaSettings {
  /** `--resource-quota-sync-period` */
  readonly syncPeriodMs: DurationMs;
  /** The namespaced kinds that a quota may count. */
  readonly resources: readonly Resource<KubeObject>[];
}

export function resourceQuotaController(settings: ResourceQuotaSettings): Component {
  return { name: 'resourcequota-controller', start: (context) => new QuotaCounter(context, settings).start() };
}

interface WatchedStock {
  readonly resource: Resource<KubeObject>;
  readonly objects: Informer<KubeObject>;
}

class QuotaCounter {
  readonly #context: ComponentContext;
  readonly #settings: ResourceQuotaSettings;
  readonly #informers: InformerFactory;
  readonly #quotas: Informer<ResourceQuota>;
  /** Everything that can be charged, with its index by namespace. */
  readonly #stocks: readonly WatchedStock[];

  constructor(context: ComponentContext, settings: ResourceQuotaSettings) {
    this.#context = context;
    this.#settings = settings;
    this.#informers = new InformerFactory(context);
    this.#quotas = this.#informers.of(ResourceQuotas, { namespace: namespaceOf });
    this.#stocks = settings.resources.map((resource) => ({
      resource,
      objects: this.#informers.of(resource, { namespace: namespaceOf }),
    }));
  }

  start(): void {
    const { queue } = startController({
      reconciler: {
        name: 'resourcequota-controller',
        kind: 'ResourceQuota',
        reconcile: (key, turn) => this.#reconcile(key, turn),
      },
      triggers: [
        trigger(this.#quotas, (change) => (isDue(change) ? [keyOf(change.object)] : [])),
        ...this.#stocks.map((stock) => this.#replenishment(stock)),
      ],
      workers: WORKERS,
      context: this.#context,
      waitFor: [this.#informers],
    });
    this.#informers.start();
    const resync = (): void => {
      for (const quota of this.#quotas.all()) queue.add(keyOf(quota), { type: 'resync', entry: null });
    };
    every(this.#context, { name: 'resourcequota resync', periodMs: this.#settings.syncPeriodMs, pass: resync });
  }

  /** What frees something has the quotas of its namespace counted again. */
  #replenishment({ resource, objects }: WatchedStock): Trigger {
    return trigger(objects, (change) => (frees(change) ? this.#chargedQuotas(resource, change.object) : []));
  }

  *#chargedQuotas(resource: Resource<KubeObject>, object: KubeObject): IterableIterator<ObjectKey> {
    for (const quota of this.#quotas.by('namespace', object.metadata.namespace ?? '')) {
      if (chargedNames(resource, Object.keys(quota.spec.hard ?? {})).length > 0) yield keyOf(quota);
    }
  }

  async #reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const quota = this.#quotas.get(key);
    if (quota === undefined) return { type: 'settled' };
    const hard = quota.spec.hard ?? {};
    const used = totalUsage(quota, this.#stocksOf(quota), this.#context.clock.now());
    if (sameAmounts(quota.status.hard, hard) && sameAmounts(quota.status.used, used)) return { type: 'settled' };
    try {
      await turn.cluster.update(ResourceQuotas, { ...quota, status: { hard, used } }, { subresource: 'status' });
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
    }
    return { type: 'settled' };
  }

  *#stocksOf({ metadata, spec }: ResourceQuota): IterableIterator<Stock> {
    const names = Object.keys(spec.hard ?? {});
    for (const { resource, objects } of this.#stocks) {
      if (chargedNames(resource, names).length > 0)
        yield { resource, objects: objects.by('namespace', metadata.namespace ?? '') };
    }
  }
}

const namespaceOf = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ''];

/** A quota is counted when it is new or its limits changed, and when somebody else wrote its status. */
function isDue(change: Change<ResourceQuota>): boolean {
  if (change.type !== 'updated') return change.type === 'added';
  return (
    !sameAmounts(change.before.spec.hard, change.object.spec.hard) ||
    !sameAmounts(change.object.status.hard, change.object.spec.hard)
  );
}

/** kubernetes:pkg/controller/resourcequota/resource_quota_monitor.go: deletions, and pods that end. */
function frees(change: Change<KubeObject>): boolean {
  if (change.type === 'deleted') return true;
  if (change.type === 'added') return false;
  if (change.object.kind === 'Pod') return !hasEnded(change.before) && hasEnded(change.object);
  return change.object.kind === 'PersistentVolumeClaim';
}

const hasEnded = (object: KubeObject): boolean =>
  isOf(Pods, object) && (object.status.phase === 'Succeeded' || object.status.phase === 'Failed');
