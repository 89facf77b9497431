// The API server without a network: one synchronous call per request, for in-process views and for HTTP alike. Where a storage
// makes writes last, the same call is made for it, and the answer waits until what it shows is durable.
// A write goes: authorize, decode, defaults, admission, preparation, validation, review, commit, audit.
import { assert } from '../base/assert.ts';
import { type Clock, type InstantMs, SECOND_MS, timestamp } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { type ApiError, isApiError, noSuchResource } from '../kube/api-error.ts';
import type { Disposable, WatchOptions, WatchSink } from '../kube/cluster.ts';
import {
  type KubeObject,
  type ObjectKey,
  type Resource,
  type ResourceName,
  apiVersionOf,
  keyFrom,
} from '../kube/object.ts';
import type { Reason } from '../kube/reason.ts';
import { CustomResourceDefinitions } from '../kube/resources/custom-resource-definition.ts';
import { Events } from '../kube/resources/event.ts';
import { Namespaces } from '../kube/resources/namespace.ts';
import type { AdmissionPlugin } from './admission/admission.ts';
import { type ApiAnswer, type ApiRequest, accessOf, callFor, selectionOf } from './api-request.ts';
import type { AuditSink } from './audit.ts';
import { type Access, type Authorizer, type User, type Verb, alwaysAllow, authorize } from './authorization.ts';
import type { CustomKind } from './customresources/custom-kind.ts';
import { CustomResources, isDefinitions } from './customresources/customresources.ts';
import { definitionStrategy } from './customresources/definition-strategy.ts';
import type { RuleEngine } from './customresources/rule-engine.ts';
import { EventExpiry } from './event-expiry.ts';
import { type DecideExpected, type ExpectedObject, createMissing, ensureObjects } from './expected-objects.ts';
import { HeldSink } from './held-sink.ts';
import { compactByTime } from './history-compaction.ts';
import { ObjectBytes } from './object-bytes.ts';
import type { Change } from './objectstore/change-history.ts';
import { type ObjectStore, isStagedRevision } from './objectstore/object-store.ts';
import { AdmissionChain } from './registry/generic-admission.ts';
import type { Call } from './registry/generic-call.ts';
import type { RegistryServices } from './registry/generic-registry.ts';
import { KIND_VIEWS, type KindView } from './registry/generic-view.ts';
import type { PostedKind } from './posted-kind.ts';
import type { Strategy } from './registry/strategy.ts';
import { RequestHandler, postedName } from './request-handler.ts';
import { ServedResource } from './served-resource.ts';
import type { Attempt, Served, Storage } from './storage/storage.ts';
import { WatchService } from './watch-service.ts';
import { ITS_FIELD_MANAGER, SERVER_ITSELF } from './server-itself.ts';
import { readerOf } from './store-reader.ts';

/** Made by the server itself, again when someone deletes one. kubernetes:pkg/controlplane/controller/systemnamespaces */
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

const expectedNamespace = (name: string): ExpectedObject => {
  const object = { apiVersion: apiVersionOf(Namespaces), kind: Namespaces.kind, metadata: { name } };
  // What the server adds is not there yet.
  return { resource: Namespaces, key: name, object: object as KubeObject };
};

/** A write that was committed, with who did it and what led to it. */
export interface Commit extends Change {
  readonly user: string;
  readonly verb: Verb;
  readonly subresource: string | undefined;
  readonly reason: Reason | undefined;
}

export interface ApiServerOptions {
  /** The time of the cluster. */
  readonly clock: Clock;
  /** What the length of watches is measured by, where clients live by another time than the cluster. */
  readonly watchClock?: Clock;
  readonly random: Random;
  readonly store: ObjectStore;
  /** Makes writes to the store last. Without one nothing does, and everything is answered at once. */
  readonly storage?: Storage;
  /** The JSON of what is stored, shared with those who write it elsewhere. */
  readonly bytes?: ObjectBytes;
  readonly strategies: readonly Strategy[];
  readonly admission?: readonly AdmissionPlugin[];
  readonly authorizer?: Authorizer;
  /** Kinds that are answered and never stored: reviews, requests for tokens. */
  readonly posted?: readonly PostedKind[];
  /** The language of rules in the definitions of custom kinds; without it definitions with rules are refused. */
  readonly rules?: RuleEngine | undefined;
  readonly audit?: AuditSink;
  /** Since when account is kept of who manages which field of an object; from its creation unless said otherwise. */
  readonly fieldTracking?: 'from-creation' | 'from-first-apply';
  /** Events go an hour after they were written. Not where the storage sees to it. */
  readonly expiresEvents?: boolean;
  /** Changes are forgotten some minutes after they were made: what clients see of the past is bounded in time. */
  readonly compactsHistory?: boolean;
  /** Told of every committed write before the request is answered. */
  readonly onCommit?: (commit: Commit) => void;
}

interface Asking {
  readonly request: ApiRequest;
  readonly user: User;
  readonly reason: Reason | undefined;
}
/** One request on its way, and what is done when it was answered or refused. */
interface RequestAttempt extends Attempt<ApiAnswer> {
  answered(served: Served<ApiAnswer>): ApiAnswer;
  refused(error: unknown): void;
}
interface Asked {
  readonly request: ApiRequest;
  readonly access: Access;
  readonly call: Call;
  readonly reason: Reason | undefined;
}
type Caller = Pick<Call, 'user' | 'dryRun'>;

export class ApiServer {
  readonly bytes: ObjectBytes;
  readonly #options: ApiServerOptions;
  readonly #authorizer: Authorizer;
  readonly #served = new Map<string, ServedResource>();
  /** The same by identity of the name asked for, to save building the text. */
  readonly #servedAs = new WeakMap<ResourceName, ServedResource>();
  /** `apiVersion kind` of everything built in. */
  readonly #kinds = new Set<string>();
  /** Undefined where nobody can define kinds. */
  readonly #custom: CustomResources | undefined;
  readonly #handler: RequestHandler;
  readonly #watches: WatchService;
  /** What led to the request being served now; the core is synchronous, so there is only one. */
  #reason: Reason | undefined;
  /** The commits of the request being served now, where they are told later. */
  #commits: Commit[] | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.bytes = options.bytes ?? new ObjectBytes();
    this.#authorizer = options.authorizer ?? alwaysAllow;
    const { clock, random, store } = options;
    const reader = readerOf(store);
    const services: RegistryServices = {
      store,
      clock,
      random: random.fork('apiserver'),
      admission: new AdmissionChain(options.admission ?? [], reader),
      committed: (change, call) => this.#committed(change, call),
      timestampOf: rememberingTimestamp(),
      tracksNewObjects: options.fieldTracking !== 'from-first-apply',
    };
    const isServed = (apiVersion: string, kind: string): boolean =>
      this.#kinds.has(`${apiVersion} ${kind}`) || this.#custom?.isServed(apiVersion, kind) === true;
    const strategies = options.strategies.map((strategy) =>
      isDefinitions(strategy.resource) ? definitionStrategy(options.rules) : strategy,
    );
    for (const kind of [...strategies, ...viewsOf(strategies)]) {
      this.#served.set(this.#freeName(kind.resource), new ServedResource(kind, services, isServed));
      this.#kinds.add(`${apiVersionOf(kind.resource)} ${kind.resource.kind}`);
    }
    this.#watches = new WatchService({ store, clock: options.watchClock ?? clock, random });
    this.#custom =
      this.#definitions() === undefined
        ? undefined
        : new CustomResources({
            store,
            clock,
            rules: options.rules,
            user: SERVER_ITSELF,
            serve: (view) => new ServedResource(view, services, isServed),
            close: (strategy) => this.#watches.close(strategy),
          });
    this.#handler = new RequestHandler({
      clock,
      store,
      reader,
      served: (resource) => this.#resource(resource),
      authorize: (user, access) => authorize(this.#authorizer, user, access),
      admission: services.admission,
      isServed,
      posted: new Map((options.posted ?? []).map((kind) => [postedName(kind), kind])),
    });
    if (options.compactsHistory === true) compactByTime(store, options.watchClock ?? clock);
    if (options.expiresEvents !== true) return;
    new EventExpiry({ store, clock, remove: (key, version) => void this.#removeEvent(key, version) }).start();
  }

  /** Of the newest committed write. */
  get revision(): number {
    return this.#options.store.revision;
  }

  /** Everything that can be asked for, views included. */
  get resources(): readonly Resource<KubeObject>[] {
    const posted = (this.#options.posted ?? []).filter(({ below }) => below === undefined);
    return [...this.#served.values(), ...posted].map(({ resource }) => resource);
  }

  /** What clients defined, by version. */
  get customKinds(): readonly CustomKind[] {
    return this.#custom?.kinds ?? [];
  }

  /** Changes whenever what clients defined does. */
  get kindsRevision(): number {
    return this.#custom?.revision ?? 0;
  }

  /** Open watches of everybody. */
  get watchCount(): number {
    return this.#watches.size;
  }

  #definitions(): ServedResource | undefined {
    return this.#served.get(nameOf(CustomResourceDefinitions));
  }

  /** Makes the namespaces that every cluster has, where they are missing. */
  bootstrap(): void {
    for (const { resource, key, object } of SYSTEM_NAMESPACES.map(expectedNamespace)) {
      if (this.#options.store.get(resource, key) !== undefined) continue;
      const options = { fieldManager: ITS_FIELD_MANAGER };
      this.handle({ verb: 'create', resource, namespace: undefined, object, options }, SERVER_ITSELF);
    }
  }

  /** The same where a storage makes them last. */
  bootstrapStorage(): Promise<void> {
    return this.ensure(SYSTEM_NAMESPACES.map(expectedNamespace));
  }

  /** Makes these objects be there, by the rule given, and answers when they last. */
  ensure(expected: readonly ExpectedObject[], decide: DecideExpected = createMissing): Promise<void> {
    return ensureObjects(expected, decide, {
      stored: (resource, key) => this.#options.store.get(resource, key),
      request: (request) => this.request(request, SERVER_ITSELF),
    });
  }

  /**
   * Answers one request or throws a StatusError. Where there is a storage only reads may be asked like this, and writes that
   * are part of the write being served: they last with it.
   */
  handle(request: ApiRequest, user: User, reason?: Reason): ApiAnswer {
    const isServing = this.#commits !== undefined;
    assert(
      this.#options.storage === undefined || isRead(request) || isServing,
      'a write waits for the storage: it is a request()',
    );
    const access = accessOf(request);
    const call = callFor(request, access, user);
    return this.#audited(access, call, () => this.#answer({ request, access, call, reason }));
  }

  /** Answers one request, or throws or rejects with a StatusError, when what the answer shows will last. */
  request(request: ApiRequest, user: User, reason?: Reason): ApiAnswer | Promise<ApiAnswer> {
    const { storage } = this.#options;
    return storage === undefined
      ? this.handle(request, user, reason)
      : this.#requestOf(storage, { request, user, reason });
  }

  /**
   * The same for those who end with this process: answered as soon as the cache shows it, where the storage can do that.
   * Lists wait, for a watch goes on from what they show.
   */
  requestWithin(request: ApiRequest, user: User, reason?: Reason): ApiAnswer | Promise<ApiAnswer> {
    const { storage } = this.#options;
    if (storage?.ahead === undefined || request.verb === 'list') return this.request(request, user, reason);
    const attempt = this.#attempt({ request, user, reason });
    try {
      const served = storage.ahead(attempt);
      return served === undefined ? this.request(request, user, reason) : attempt.answered(served);
    } catch (error) {
      attempt.refused(error);
      throw error;
    }
  }

  async #requestOf(storage: Storage, asking: Asking): Promise<ApiAnswer> {
    const attempt = this.#attempt(asking);
    try {
      return attempt.answered(await storage.serve(attempt));
    } catch (error) {
      attempt.refused(error);
      throw error;
    }
  }

  #attempt({ request, user, reason }: Asking): RequestAttempt {
    const access = accessOf(request);
    const call = callFor(request, access, user);
    const warned = call.warnings.length;
    let commits: Commit[] = [];
    return {
      isWrite: !isRead(request),
      run: () => {
        commits = [];
        call.warnings.length = warned;
        this.#commits = commits;
        try {
          return this.#answer({ request, access, call, reason });
        } finally {
          this.#commits = undefined;
        }
      },
      answered: (served) => {
        for (const commit of commits) this.#options.onCommit?.(numberedCommit(commit, served));
        const answer = numberedAnswer(served);
        this.#record(access, call, answer.code);
        return answer;
      },
      refused: (error) => {
        if (isApiError(error)) this.#record(access, call, error.code, error);
      },
    };
  }

  /** Somebody may have written or removed it meanwhile, and a storage that fails says so elsewhere. */
  async #removeEvent(key: ObjectKey, resourceVersion: string): Promise<void> {
    const options = { preconditions: { resourceVersion } };
    try {
      await this.request({ verb: 'delete', resource: Events, key, options }, SERVER_ITSELF);
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }

  #answer({ request, access, call, reason }: Asked): ApiAnswer {
    const outer = this.#reason;
    this.#reason = reason ?? outer;
    try {
      authorize(this.#authorizer, call.user, access);
      const answer = this.#handler.answer(request, call);
      if (!isRead(request) && !call.dryRun) this.#follow(request.resource);
      return answer;
    } finally {
      this.#reason = outer;
    }
  }

  /** Events that are already known come before this returns; later ones inside the commit that makes them. */
  watch(resource: ResourceName, options: WatchOptions, user: User, sink: WatchSink<KubeObject>): Disposable {
    const access: Access = { verb: 'watch', resource, subresource: undefined, ...selectionOf(options) };
    return this.#audited(access, { user, dryRun: false }, () => {
      authorize(this.#authorizer, user, access);
      const served = this.#resource(resource);
      return { code: 200, watch: this.#watches.open(served.strategy, options, served.showTo(this.#held(sink))) };
    }).watch;
  }

  #held(sink: WatchSink<KubeObject>): WatchSink<KubeObject> {
    const settling = this.#options.storage?.settling();
    return settling === undefined ? sink : new HeldSink(sink, settling);
  }

  /** What a write to a definition, or to an object of one that ends, leads to. */
  #follow(resource: ResourceName): void {
    const definitions = this.#custom === undefined ? undefined : this.#definitions();
    if (definitions !== undefined) this.#custom?.afterWrite(resource, definitions);
  }

  /** A second version of a kind is asked for by its version, the first by its name alone. */
  #freeName(resource: Resource<KubeObject>): string {
    return this.#served.has(nameOf(resource)) ? versionedName(resource) : nameOf(resource);
  }

  #resource(resource: ResourceName): ServedResource {
    const custom = this.#custom?.find(resource);
    if (custom !== undefined) return custom;
    const served =
      this.#servedAs.get(resource) ?? this.#served.get(versionedName(resource)) ?? this.#served.get(nameOf(resource));
    if (served === undefined) throw noSuchResource();
    this.#servedAs.set(resource, served);
    return served;
  }

  #committed(change: Change, { user, verb, subresource }: Call): void {
    const { onCommit } = this.#options;
    if (onCommit === undefined) return;
    // Named one by one: a field that is added to a copy costs 2 us.
    const { revision, resource, key, before, after } = change;
    const by = user.name;
    const reason = this.#reason;
    const commit: Commit = { revision, resource, key, before, after, user: by, verb, subresource, reason };
    if (this.#commits === undefined) onCommit(commit);
    else this.#commits.push(commit);
  }

  /** Answered or refused, it is told to the audit. */
  #audited<T extends { readonly code: number }>(access: Access, asked: Caller, answer: () => T): T {
    try {
      const answered = answer();
      this.#record(access, asked, answered.code);
      return answered;
    } catch (error) {
      if (isApiError(error)) this.#record(access, asked, error.code, error);
      throw error;
    }
  }

  #record(access: Access, { user, dryRun }: Caller, code: number, error?: ApiError): void {
    this.#options.audit?.record({
      at: this.#options.clock.now(),
      user: user.name,
      verb: access.verb,
      resource: access.resource,
      key: keyFrom(access.namespace, access.name),
      subresource: access.subresource,
      code,
      reason: error?.reason,
      dryRun,
    });
  }
}

const isRead = ({ verb }: ApiRequest): boolean => verb === 'get' || verb === 'list';

function numberedCommit(commit: Commit, { revisionOf }: Served<unknown>): Commit {
  if (revisionOf === undefined) return commit;
  const { after } = commit;
  const numbered = after === undefined ? undefined : numberedObject(after, revisionOf);
  return { ...commit, revision: revisionOf(commit.revision), after: numbered };
}

function numberedAnswer({ result, revisionOf }: Served<ApiAnswer>): ApiAnswer {
  if (revisionOf === undefined || result.type !== 'object') return result;
  return { ...result, object: numberedObject(result.object, revisionOf) };
}

function numberedObject<T extends KubeObject>(object: T, revisionOf: (staged: number) => number): T {
  const staged = Number(object.metadata.resourceVersion);
  if (!isStagedRevision(staged)) return object;
  const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(revisionOf(staged)) });
  return Object.freeze({ ...object, metadata });
}

/** Many writes share a second: the text for the last one asked about is kept. */
function rememberingTimestamp(): (at: InstantMs) => string {
  let second = Number.NaN;
  let text = '';
  return (at) => {
    const asked = Math.floor(at / SECOND_MS);
    if (asked !== second) [second, text] = [asked, timestamp(at)];
    return text;
  };
}

/** Views of kinds that are served at all. */
const viewsOf = (strategies: readonly Strategy[]): readonly KindView[] =>
  KIND_VIEWS.filter((view) => strategies.some(({ resource }) => resource === view.strategy.resource));

const nameOf = (resource: ResourceName): string => `${resource.plural}.${resource.group}`;

const versionedName = (resource: ResourceName & { readonly version?: string }): string =>
  `${resource.plural}.${resource.version ?? ''}.${resource.group}`;
