// Roles, nodes, tokens and reviews, put together over one store: what a server needs to know who asks and what they may do.
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { isApiError } from '../kube/api-error.ts';
import type { AdmissionPlugin } from './admission/admission.ts';
import { certificatePlugins } from './admission/certificate-plugins.ts';
import type { ApiRequest } from './api-request.ts';
import { type Authorizer, type User, firstOf, mastersMay } from './authorization.ts';
import { NodeAuthorizer, nodeOfUser } from './nodeauthorization/node-authorizer.ts';
import { NodeGraph } from './nodeauthorization/node-graph.ts';
import { nodeRestriction } from './nodeauthorization/node-restriction.ts';
import type { ObjectStore } from './objectstore/object-store.ts';
import type { PostedKind } from './posted-kind.ts';
import { type PolicyObject, bootstrapPolicy, decidePolicyStep } from './rbac/bootstrap-policy.ts';
import { RbacAuthorizer } from './rbac/rbac-authorizer.ts';
import { roleEscalation } from './rbac/role-escalation.ts';
import { RoleIndex } from './rbac/role-index.ts';
import { accessReviews } from './reviews/access-review.ts';
import { type UserRules, identityReviews } from './reviews/identity-review.ts';
import {
  type KnownToken,
  type TokenAuthenticator,
  TokenIssuer,
  type TokenSigner,
} from './serviceaccount/token-issuer.ts';
import { tokenRequests } from './serviceaccount/token-request.ts';
import { ITS_FIELD_MANAGER, SERVER_ITSELF } from './server-itself.ts';
import { readerOf } from './store-reader.ts';

/** What tokens say where they come from, unless told otherwise. */
export const DEFAULT_ISSUER = 'https://kubernetes.default.svc';

export interface AccessControlOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly signer: TokenSigner;
  readonly issuer?: string;
  /** Besides service accounts. */
  readonly tokens?: readonly TokenAuthenticator[];
}

/** A server that this is the access control of. */
export interface ControlledServer {
  request(request: ApiRequest, user: User): unknown;
}

export class AccessControl {
  readonly authorizer: Authorizer;
  /** To be put at the end of the plugins of the server: they look at what the others made. */
  readonly admission: readonly AdmissionPlugin[];
  readonly posted: readonly PostedKind[];
  /** All who know tokens. */
  readonly tokens: readonly TokenAuthenticator[];
  readonly #store: ObjectStore;

  constructor({ store, clock, random, signer, issuer = DEFAULT_ISSUER, tokens = [] }: AccessControlOptions) {
    this.#store = store;
    const reader = readerOf(store);
    const index = new RoleIndex(store);
    const rbac = new RbacAuthorizer(index);
    const accounts = new TokenIssuer({ signer, issuer, reader, now: () => clock.now() });
    this.tokens = [...tokens, accounts];
    this.authorizer = firstOf([mastersMay, new NodeAuthorizer(new NodeGraph(store)), rbac]);
    this.admission = [
      nodeRestriction(this.authorizer),
      ...certificatePlugins(this.authorizer),
      roleEscalation({ authorizer: this.authorizer, rbac, index }),
    ];
    this.posted = [
      ...accessReviews(this.authorizer),
      ...identityReviews({
        clock,
        tokens: anyOf(this.tokens),
        audiences: accounts.audiences,
        rulesFor: (user, namespace) => rulesOf(rbac, user, namespace),
      }),
      tokenRequests({ issuer: accounts, reader, clock, random: random.fork('tokens') }),
    ];
  }

  /** Makes the roles and bindings that every cluster has, and those given, where they are missing or have fallen behind. */
  async reconcile(server: ControlledServer, more: readonly PolicyObject[] = []): Promise<void> {
    await Promise.all([...bootstrapPolicy(), ...more].map((expected) => this.#reconcileOne(server, expected)));
  }

  async #reconcileOne(server: ControlledServer, { resource, key, object }: PolicyObject): Promise<void> {
    const step = decidePolicyStep(object, this.#store.get(resource, key));
    const options = { fieldManager: ITS_FIELD_MANAGER };
    const create = { verb: 'create', resource, namespace: object.metadata.namespace, object, options } as const;
    try {
      if (step.type === 'update')
        await server.request({ verb: 'update', resource, key, object: step.object, options }, SERVER_ITSELF);
      if (step.type === 'recreate') await server.request({ verb: 'delete', resource, key }, SERVER_ITSELF);
      if (step.type === 'create' || step.type === 'recreate') await server.request(create, SERVER_ITSELF);
    } catch (error) {
      // Another server of the same storage was faster.
      if (!isApiError(error, 'AlreadyExists') && !isApiError(error, 'Conflict')) throw error;
    }
  }
}

function anyOf(known: readonly TokenAuthenticator[]): TokenAuthenticator {
  return {
    authenticate(token, audiences): KnownToken | undefined {
      for (const each of known) {
        const found = each.authenticate(token, audiences);
        if (found !== undefined) return found;
      }
      return undefined;
    },
  };
}

/** What nodes may do cannot be told as rules. */
function rulesOf(rbac: RbacAuthorizer, user: User, namespace: string): UserRules {
  const { rules, fault } = rbac.rulesFor(user, namespace);
  if (nodeOfUser(user) === undefined) return { rules, fault, isIncomplete: false };
  const why = 'node authorizer does not support user rule resolution';
  return { rules, fault: fault === undefined ? why : `[${why}, ${fault}]`, isIncomplete: true };
}
