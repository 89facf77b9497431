// JSON web tokens signed with ECDSA on P-256 (ES256), and the public half of the key for those who want to check them alone.
// RFC 7515, RFC 7517, RFC 7518.
import { type KeyObject, createHash, createPublicKey, sign, verify } from 'node:crypto';
import { isJsonObject } from '../../kube/json.ts';
import type { TokenSigner } from '../serviceaccount/token-issuer.ts';

export const SIGNATURE_ALGORITHM = 'ES256';
/** A signature is its two numbers side by side, not their ASN.1. */
const ENCODING = { dsaEncoding: 'ieee-p1363' } as const;
/** Signatures that were found right lately need not be computed again. */
const REMEMBERED_MAX = 4096;

export class KeyTokenSigner implements TokenSigner {
  readonly #private: KeyObject;
  readonly #public: KeyObject;
  readonly #keyId: string;
  /** Tokens of ours, by text. Whether they still hold is asked every time. The oldest are forgotten. */
  readonly #verified = new Map<string, Readonly<Record<string, unknown>>>();

  constructor(key: KeyObject) {
    this.#private = key;
    this.#public = createPublicKey(key);
    this.#keyId = createHash('sha256')
      .update(this.#public.export({ type: 'spki', format: 'der' }))
      .digest('base64url');
  }

  sign(claims: object): string {
    const head = encoded({ alg: SIGNATURE_ALGORITHM, kid: this.#keyId });
    const signed = `${head}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(signed), { key: this.#private, ...ENCODING });
    return `${signed}.${signature.toString('base64url')}`;
  }

  verify(token: string): Readonly<Record<string, unknown>> | undefined {
    const known = this.#verified.get(token);
    if (known !== undefined) return known;
    const [head = '', payload = '', signature = '', ...more] = token.split('.');
    const header = decoded(head);
    if (more.length > 0 || header?.['alg'] !== SIGNATURE_ALGORITHM) return undefined;
    const { kid = this.#keyId } = header;
    if (kid !== this.#keyId || !this.#isSigned(`${head}.${payload}`, signature)) return undefined;
    const claims = decoded(payload);
    if (claims !== undefined) this.#remember(token, claims);
    return claims;
  }

  /** The key set that `/openid/v1/jwks` tells. */
  get keySet(): object {
    const { kty, crv, x, y } = this.#public.export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty, kid: this.#keyId, crv, alg: SIGNATURE_ALGORITHM, x, y }] };
  }

  #isSigned(text: string, signature: string): boolean {
    try {
      return verify(
        'sha256',
        Buffer.from(text),
        { key: this.#public, ...ENCODING },
        Buffer.from(signature, 'base64url'),
      );
    } catch {
      return false;
    }
  }

  #remember(token: string, claims: Readonly<Record<string, unknown>>): void {
    this.#verified.set(token, claims);
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > REMEMBERED_MAX && oldest !== undefined) this.#verified.delete(oldest);
  }
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
