// Roles, nodes, tokens and reviews, put together over one store: what a server needs to know who asks and what they may do.
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { AdmissionPlugin } from './admission/admission.ts';
import { certificatePlugins } from './admission/certificate-plugins.ts';
import { type Authorizer, type User, firstOf, mastersMay } from './authorization.ts';
import type { DecideExpected, ExpectedObject } from './expected-objects.ts';
import { NodeAuthorizer, nodeOfUser } from './nodeauthorization/node-authorizer.ts';
import { NodeGraph } from './nodeauthorization/node-graph.ts';
import { nodeRestriction } from './nodeauthorization/node-restriction.ts';
import type { ObjectStore } from './objectstore/object-store.ts';
import type { PostedKind } from './posted-kind.ts';
import { bootstrapPolicy, decidePolicyStep } from './rbac/bootstrap-policy.ts';
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
  ensure(expected: readonly ExpectedObject[], decide: DecideExpected): Promise<void>;
}

export class AccessControl {
  readonly authorizer: Authorizer;
  /** To be put at the end of the plugins of the server: they look at what the others made. */
  readonly admission: readonly AdmissionPlugin[];
  readonly posted: readonly PostedKind[];
  /** All who know tokens. */
  readonly tokens: readonly TokenAuthenticator[];

  constructor({ store, clock, random, signer, issuer = DEFAULT_ISSUER, tokens = [] }: AccessControlOptions) {
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
  reconcile(server: ControlledServer, more: readonly ExpectedObject[] = []): Promise<void> {
    return server.ensure([...bootstrapPolicy(), ...more], decidePolicyStep);
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
