import type { DurationMs } from '../base/clock.ts';
import { type KubeObject, type Resource, qualifiedResource } from '../kube/object.ts';
import type { ComponentContext } from './component.ts';
import type { Indexes } from './indexer.ts';
import { type InformerOptions, SharedInformer, type Syncable, waitForSync } from './informer.ts';

export interface InformerDefaults {
  readonly resyncMs?: DurationMs;
}

interface InformerOfAnyKind extends Syncable {
  readonly resource: Resource<KubeObject>;
  start(signal: AbortSignal): void;
}

/** The informers of one component: one for each kind and selection, whoever asks. Components never share them. */
export class InformerFactory implements Syncable {
  readonly #context: ComponentContext;
  readonly #defaults: InformerDefaults;
  readonly #informers = new Map<string, InformerOfAnyKind>();

  constructor(context: ComponentContext, defaults: InformerDefaults = {}) {
    this.#context = context;
    this.#defaults = defaults;
  }

  /** Indexes of all callers are united; a name means the same to all of them. */
  of<T extends KubeObject>(
    resource: Resource<T>,
    indexes: Indexes<T> = {},
    options: InformerOptions = {},
  ): SharedInformer<T> {
    const name = nameOf(resource, options);
    const known = this.#informers.get(name);
    if (known !== undefined && isInformerOf(known, resource)) {
      known.addIndexes(indexes);
      return known;
    }
    const informer = new SharedInformer({
      ...this.#context,
      resource,
      indexes,
      options: { ...this.#defaults, ...options },
    });
    this.#informers.set(name, informer);
    return informer;
  }

  /** Starts what was asked for since the last start. */
  start(): void {
    for (const informer of this.#informers.values()) informer.start(this.#context.signal);
  }

  whenSynced(signal: AbortSignal): Promise<void> {
    return waitForSync([...this.#informers.values()], signal);
  }
}

export function informerSet(context: ComponentContext, defaults?: InformerDefaults): InformerFactory {
  return new InformerFactory(context, defaults);
}

function isInformerOf<T extends KubeObject>(
  informer: InformerOfAnyKind,
  resource: Resource<T>,
): informer is SharedInformer<T> {
  return qualifiedResource(informer.resource) === qualifiedResource(resource);
}

function nameOf(resource: Resource<KubeObject>, options: InformerOptions): string {
  const { namespace = '', labelSelector = '', fieldSelector = '' } = options;
  return [qualifiedResource(resource), resource.version, namespace, labelSelector, fieldSelector].join(' ');
}
