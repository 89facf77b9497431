// What a request to a node's own server is a request for: any one of these subresources of the node suffices.
// kubernetes:pkg/kubelet/server/auth.go
export interface NodeAccess {
  readonly verb: string;
  readonly subresources: readonly string[];
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

const BELOW: readonly (readonly [path: string, subresources: readonly string[]])[] = [
  ['/stats', ['stats']],
  ['/metrics', ['metrics']],
  ['/logs', ['log']],
  ['/checkpoint', ['checkpoint']],
  ['/pods', ['pods', 'proxy']],
  ['/runningpods', ['pods', 'proxy']],
  ['/healthz', ['healthz', 'proxy']],
  ['/configz', ['configz', 'proxy']],
];

export function nodeAccessOf(method: string, path: string): NodeAccess {
  const found = BELOW.find(([above]) => path === above || path.startsWith(`${above}/`));
  return { verb: VERBS[method] ?? '', subresources: found?.[1] ?? ['proxy'] };
}
