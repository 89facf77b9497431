// The token that carries a list from one page to the next: the revision of the first page and the key to go on from.
// kubernetes:staging/src/k8s.io/apiserver/pkg/storage/continue.go
import { badRequest } from '../../kube/api-error.ts';

const TOKEN_VERSION = 'meta.k8s.io/v1';

export interface ContinueToken {
  /** Negative: the newest state, whatever it is. */
  readonly revision: number;
  /** Relative to the listed namespace. The first key of the next page is not smaller. */
  readonly start: string;
}

export function encodeContinue({ revision, start }: ContinueToken): string {
  const text = JSON.stringify({ v: TOKEN_VERSION, rv: revision, start });
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

export function decodeContinue(token: string): ContinueToken {
  const { v, rv, start } = parsed(token);
  if (v !== TOKEN_VERSION) throw unreadable(`: server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || !Number.isSafeInteger(rv) || rv === 0) {
    throw unreadable(`: incorrect encoded start resourceVersion (version ${TOKEN_VERSION})`);
  }
  if (typeof start !== 'string' || start === '')
    throw unreadable(`: encoded start key empty (version ${TOKEN_VERSION})`);
  if (start.startsWith('/') || start.split('/').includes('..')) throw unreadable(`: ${start}`);
  return { revision: rv, start };
}

function parsed(token: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(atob(token.replaceAll('-', '+').replaceAll('_', '/')));
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Not base64 or not JSON: the same to the client.
  }
  throw unreadable(': illegal base64 data or JSON');
}

const unreadable = (why: string): Error => badRequest(`invalid continue token: continue key is not valid${why}`);
