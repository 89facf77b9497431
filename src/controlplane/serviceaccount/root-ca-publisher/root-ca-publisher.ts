// Keeps the ConfigMap `kube-root-ca.crt` in every namespace: what a container needs to trust the API server. Its data is
// exactly the one certificate bundle, whatever others wrote into it; its other fields are theirs.
// kubernetes:pkg/controller/certificates/rootcacertpublisher/publisher.go
import { unreachable } from '../../../base/assert.ts';
import { causeOf } from '../../../kube/api-error.ts';
import type { Draft } from '../../../kube/cluster.ts';
import { keyFrom } from '../../../kube/object.ts';
import { type ConfigMap, ConfigMaps } from '../../../kube/resources/config-map.ts';
import { Namespaces } from '../../../kube/resources/namespace.ts';
import { attempt } from '../../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../../runtime/component.ts';
import { type Outcome, type Reconciler, type Turn, startController, trigger } from '../../../runtime/controller.ts';
import { informerSet } from '../../../runtime/informer-factory.ts';
import type { Lister } from '../../../runtime/informer.ts';

const NAME = 'root-ca-cert-publisher';
/** kubernetes:pkg/controller/certificates/rootcacertpublisher/publisher.go */
const CONFIG_MAP = 'kube-root-ca.crt';
const DATA_KEY = 'ca.crt';
const DESCRIPTION_ANNOTATION = 'kubernetes.io/description';
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
/** kubernetes:cmd/kube-controller-manager/app/certificates.go */
const WORKERS = 1;

export interface RootCaPublisherOptions {
  /** The certificates that the API server's own one descends from, in PEM. */
  readonly rootCa: string;
}

export function rootCaPublisher({ rootCa }: RootCaPublisherOptions): Component {
  return { name: NAME, start: (context) => start(rootCa, context) };
}

function start(rootCa: string, context: ComponentContext): void {
  const informers = informerSet(context);
  const configMaps = informers.of(ConfigMaps, {}, { fieldSelector: `metadata.name=${CONFIG_MAP}` });
  startController({
    reconciler: new RootCaReconciler(rootCa, configMaps),
    triggers: [
      trigger(informers.of(Namespaces), ({ type, object: { metadata, status } }) =>
        type === 'added' || (type === 'updated' && status.phase === 'Active') ? [metadata.name] : [],
      ),
      // An added one was made by us, or stands beside a namespace that is added too.
      trigger(configMaps, ({ type, object }) => (type === 'added' ? [] : [object.metadata.namespace ?? ''])),
    ],
    workers: WORKERS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

export type RootCaDecision =
  | { readonly type: 'nothing' }
  | { readonly type: 'create'; readonly draft: Draft<ConfigMap> }
  | { readonly type: 'update'; readonly object: ConfigMap };

/** A description that somebody changed stays; one that somebody emptied does not. */
export function decideRootCa(namespace: string, found: ConfigMap | undefined, rootCa: string): RootCaDecision {
  const annotations = { [DESCRIPTION_ANNOTATION]: DESCRIPTION };
  const data = { [DATA_KEY]: rootCa };
  if (found === undefined) {
    const metadata = { name: CONFIG_MAP, namespace, annotations };
    return { type: 'create', draft: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data } };
  }
  const { metadata } = found;
  const isWhole = found.data?.[DATA_KEY] === rootCa && Object.keys(found.data).length === 1;
  const isDescribed = (metadata.annotations?.[DESCRIPTION_ANNOTATION] ?? '') !== '';
  if (isWhole && isDescribed) return { type: 'nothing' };
  const object = {
    ...found,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    data,
  };
  return { type: 'update', object };
}

class RootCaReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = Namespaces.kind;
  readonly #rootCa: string;
  readonly #configMaps: Lister<ConfigMap>;

  constructor(rootCa: string, configMaps: Lister<ConfigMap>) {
    this.#rootCa = rootCa;
    this.#configMaps = configMaps;
  }

  async reconcile(namespace: string, { cluster }: Turn): Promise<Outcome> {
    const found = this.#configMaps.get(keyFrom(namespace, CONFIG_MAP));
    const decision = decideRootCa(namespace, found, this.#rootCa);
    switch (decision.type) {
      case 'nothing':
        break;
      case 'create': {
        const made = await attempt(() => cluster.create(ConfigMaps, decision.draft));
        if (made.failed && !isNamespaceGone(made.error)) throw made.error;
        break;
      }
      case 'update':
        await cluster.update(ConfigMaps, decision.object);
        break;
      default:
        return unreachable(decision);
    }
    return { type: 'settled' };
  }
}

/** There is no namespace, or it goes: nothing will ever be made in it. */
function isNamespaceGone(error: Error & { readonly reason: string }): boolean {
  return error.reason === 'NotFound' || causeOf(error, 'NamespaceTerminating') !== undefined;
}
