// Gives every namespace the ServiceAccount `default`, under which pods run that name no other. Nothing of it is kept up to
// date: an account that is there, in whatever shape, is left alone.
// kubernetes:pkg/controller/serviceaccount/serviceaccounts_controller.go
import { causeOf } from '../../../kube/api-error.ts';
import { keyFrom } from '../../../kube/object.ts';
import { type Namespace, Namespaces } from '../../../kube/resources/namespace.ts';
import { type ServiceAccount, ServiceAccounts } from '../../../kube/resources/service-account.ts';
import { attempt } from '../../../runtime/attempt.ts';
import type { Component, ComponentContext } from '../../../runtime/component.ts';
import { type Outcome, type Reconciler, type Turn, startController, trigger } from '../../../runtime/controller.ts';
import { informerSet } from '../../../runtime/informer-factory.ts';
import type { Lister } from '../../../runtime/informer.ts';

const NAME = 'service-account-controller';
/** kubernetes:pkg/controller/serviceaccount/serviceaccounts_controller.go */
const DEFAULT_ACCOUNT = 'default';
/** kubernetes:cmd/kube-controller-manager/app/core.go */
const WORKERS = 1;

export function serviceAccountsController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const namespaces = informers.of(Namespaces);
  const accounts = informers.of(ServiceAccounts);
  startController({
    reconciler: new AccountsReconciler(namespaces, accounts),
    triggers: [
      trigger(namespaces, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name])),
      trigger(accounts, ({ type, object }) => (type === 'deleted' ? [object.metadata.namespace ?? ''] : [])),
    ],
    workers: WORKERS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

/** Whether the account is to be made now. Nothing can be made in a namespace that goes. */
export function lacksAccount(namespace: Namespace | undefined, account: ServiceAccount | undefined): boolean {
  return namespace?.status.phase === 'Active' && account === undefined;
}

class AccountsReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = Namespaces.kind;
  readonly #namespaces: Lister<Namespace>;
  readonly #accounts: Lister<ServiceAccount>;

  constructor(namespaces: Lister<Namespace>, accounts: Lister<ServiceAccount>) {
    this.#namespaces = namespaces;
    this.#accounts = accounts;
  }

  async reconcile(namespace: string, turn: Turn): Promise<Outcome> {
    const account = this.#accounts.get(keyFrom(namespace, DEFAULT_ACCOUNT));
    if (lacksAccount(this.#namespaces.get(namespace), account)) await createAccount(namespace, turn);
    return { type: 'settled' };
  }
}

/** That somebody else was quicker, or that the namespace goes meanwhile, is no failure. */
async function createAccount(namespace: string, { cluster }: Turn): Promise<void> {
  const metadata = { name: DEFAULT_ACCOUNT, namespace };
  const made = await attempt(() =>
    cluster.create(ServiceAccounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }),
  );
  if (!made.failed || made.error.reason === 'AlreadyExists') return;
  if (causeOf(made.error, 'NamespaceTerminating') === undefined) throw made.error;
}
