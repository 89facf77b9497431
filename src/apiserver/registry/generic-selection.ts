// Which objects of a kind a list, watch or deletion of many is about.
import { badRequest } from '../../kube/api-error.ts';
import type { ListOptions } from '../../kube/cluster.ts';
import { type FieldGetters, type FieldMatcher, parseFieldSelector } from '../../kube/field-selector.ts';
import { SelectorError } from '../../kube/label-requirement.ts';
import { type LabelMatcher, parseLabelSelector } from '../../kube/label-selector.ts';
import { goQuote } from '../../kube/go-text.ts';
import { type KubeObject, keyFrom } from '../../kube/object.ts';
import { keyRange } from '../objectstore/object-store.ts';
import type { KeyRange } from '../objectstore/ordered-map.ts';
import type { Strategy } from './strategy.ts';

const METADATA_GETTERS: FieldGetters<KubeObject> = {
  'metadata.name': (object) => object.metadata.name,
  'metadata.namespace': (object) => object.metadata.namespace ?? '',
};

/** What is asked of a kind here. */
type SelectedKind = Pick<Strategy, 'fieldSelectors' | 'unknownField'> & {
  readonly resource: Pick<Strategy['resource'], 'namespaced'>;
};

export class Selection {
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Equal for selections that select the same. */
  readonly id: string;
  readonly #labels: LabelMatcher;
  readonly #fields: FieldMatcher;
  readonly #getters: FieldGetters<KubeObject>;
  readonly #namespaced: boolean;

  constructor(strategy: SelectedKind, options: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>) {
    this.#getters =
      strategy.fieldSelectors === undefined ? METADATA_GETTERS : { ...METADATA_GETTERS, ...strategy.fieldSelectors };
    this.#labels = parsed(() => parseLabelSelector(options.labelSelector ?? ''));
    this.#fields = parsed(() => parseFieldSelector(options.fieldSelector ?? ''));
    this.#namespaced = strategy.resource.namespaced;
    for (const { field } of this.#fields.terms) this.#requireField(field, strategy);
    const namespace = options.namespace === '' ? undefined : options.namespace;
    this.namespace = this.#namespaced ? (namespace ?? this.#fields.exactValueOf('metadata.namespace')) : undefined;
    this.id = `${this.namespace ?? ''}\n${this.#labels.toString()}\n${this.#fields.toString()}`;
  }

  matches(object: KubeObject | undefined): object is KubeObject {
    if (object === undefined) return false;
    if (this.namespace !== undefined && object.metadata.namespace !== this.namespace) return false;
    return this.#labels.matches(object.metadata.labels) && this.#fields.matches(object, this.#getters);
  }

  /** Selects by nothing but the namespace. */
  get isEmpty(): boolean {
    return this.#labels.isEmpty && this.#fields.isEmpty;
  }

  /** No selected object has a key outside. */
  get range(): KeyRange {
    const name = this.#fields.exactValueOf('metadata.name');
    if (name === undefined || (this.#namespaced && this.namespace === undefined)) return keyRange(this.namespace);
    const key = keyFrom(this.namespace, name);
    return { from: key, to: `${key}\0` };
  }

  /** A field that every selected object has with one value, so that others need not be asked. */
  get anchor():
    | { readonly value: string; readonly of: (object: KubeObject) => string; readonly field: string }
    | undefined {
    const term = this.#fields.terms.find(({ operator }) => operator === '=');
    const of = term === undefined ? undefined : this.#getters[term.field];
    return term === undefined || of === undefined ? undefined : { field: term.field, value: term.value, of };
  }

  /** Kinds with selectors of their own, and custom kinds, word it differently from the rest. */
  #requireField(field: string, strategy: SelectedKind): void {
    if (Object.hasOwn(this.#getters, field)) return;
    const own = strategy.unknownField?.(field);
    if (own !== undefined) throw badRequest(own);
    if (strategy.fieldSelectors !== undefined) throw badRequest(`field label not supported: ${field}`);
    throw badRequest(`${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`);
  }
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}
