// From HTTP to the server of a virtual node: who asks, whether they may, and the answer. Anonymous callers get nothing.
// kubernetes:pkg/kubelet/server/server.go InstallAuthFilter
import { ANONYMOUS_NAME, type Authorizer, type User } from '../apiserver/authorization.ts';
import { type Authenticator, authenticate } from '../apiserver/http/authentication.ts';
import { type HttpAnswer, type HttpRequest, wholeAnswer } from '../apiserver/http/http-exchange.ts';
import type { Log } from '../base/log.ts';
import { isApiError } from '../kube/api-error.ts';
import { Nodes } from '../kube/resources/node.ts';
import { nodeAccessOf } from '../kubelet/server/node-access.ts';
import type { NodeAnswer, NodeServer } from '../kubelet/server/server.ts';

export interface NodeDoor {
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly log: Log;
}

export interface NodeEndpointOptions extends NodeDoor {
  readonly node: string;
  /** The kubelet of now; undefined while there is none. */
  readonly current: () => NodeServer | undefined;
  /** False: what is asked is never answered, as of a machine that hangs. */
  readonly isReachable: (node: string) => boolean;
}

const PLAIN_TYPE = 'text/plain; charset=utf-8';

export class NodeEndpoint {
  readonly #options: NodeEndpointOptions;

  constructor(options: NodeEndpointOptions) {
    this.#options = options;
  }

  /** Never fails. */
  async answer(request: HttpRequest): Promise<HttpAnswer> {
    const { node, current, isReachable, log } = this.#options;
    if (!isReachable(node)) return new Promise<never>(() => undefined);
    const user = this.#userOf(request);
    if (user === undefined) return plain(401, 'Unauthorized');
    const refusal = this.#refusalOf(user, request);
    if (refusal !== undefined) return plain(403, refusal);
    const server = current();
    if (server === undefined) return plain(503, 'the kubelet of this node does not run');
    const { method, path, query } = request;
    try {
      return httpAnswer(await server.answer({ method, path, query }));
    } catch (error) {
      log.write('error', `${node} could not answer ${path}`, { error });
      return plain(500, 'Internal Server Error');
    }
  }

  #userOf(request: HttpRequest): User | undefined {
    try {
      const user = authenticate(this.#options.authenticators, request);
      return user.name === ANONYMOUS_NAME ? undefined : user;
    } catch (error) {
      if (isApiError(error, 'Unauthorized')) return undefined;
      throw error;
    }
  }

  #refusalOf(user: User, { method, path }: HttpRequest): string | undefined {
    const { authorizer, node } = this.#options;
    const { verb, subresources } = nodeAccessOf(method, path);
    const isAllowed = subresources.some((subresource) => {
      const access = { verb, resource: Nodes, subresource, namespace: undefined, name: node };
      return authorizer.decide(user, access).allowed;
    });
    if (isAllowed) return undefined;
    const told = `user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresources.join(' ')}]`;
    return `Forbidden (${told})`;
  }
}

const plain = (code: number, text: string): HttpAnswer => wholeAnswer(code, PLAIN_TYPE, `${text}\n`);

function httpAnswer(answer: NodeAnswer): HttpAnswer {
  if (answer.type === 'text') return wholeAnswer(answer.code, answer.contentType, answer.body);
  return {
    type: 'stream',
    code: 200,
    contentType: answer.contentType,
    headers: {},
    open: (out) => {
      const opened = answer.open({ write: (text) => void out.write(Buffer.from(text)), end: () => out.end() });
      return { drained: () => undefined, dispose: () => opened.dispose() };
    },
  };
}
