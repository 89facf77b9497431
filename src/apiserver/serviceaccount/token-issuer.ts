// Tokens of service accounts: signed here, known again here.
import type { InstantMs } from '../../base/clock.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { AdmissionReader } from '../admission/admission.ts';
import type { User } from '../authorization.ts';
import {
  InvalidToken,
  LEGACY_ISSUER,
  type TokenClaims,
  claimsOf,
  userOfClaims,
  userOfLegacyClaims,
} from './token-claims.ts';

/** Signs and checks JSON web tokens. The edge of the server has the keys. */
export interface TokenSigner {
  sign(claims: object): string;
  /** The payload of a token that one of our keys signed; undefined of any other. */
  verify(token: string): Readonly<Record<string, unknown>> | undefined;
}

/** Who a token is, and for whom it is meant. */
export interface KnownToken {
  readonly user: User;
  readonly audiences: readonly string[];
}

/** Answers undefined for texts that are no token of its kind. Throws InvalidToken for one that does not hold. */
export interface TokenAuthenticator {
  authenticate(token: string, audiences: readonly string[] | undefined): KnownToken | undefined;
}

export interface TokenIssuerOptions {
  readonly signer: TokenSigner;
  readonly issuer: string;
  readonly reader: AdmissionReader;
  readonly now: () => InstantMs;
}

export class TokenIssuer implements TokenAuthenticator {
  readonly #options: TokenIssuerOptions;

  constructor(options: TokenIssuerOptions) {
    this.#options = options;
  }

  /** What tokens are for that name nobody. */
  get audiences(): readonly string[] {
    return [this.#options.issuer];
  }

  issue(claims: Omit<TokenClaims, 'iss'>): string {
    return this.#options.signer.sign({ ...claims, iss: this.#options.issuer });
  }

  authenticate(token: string, asked: readonly string[] | undefined): KnownToken | undefined {
    const { issuer, signer, reader, now } = this.#options;
    const named = issuerIn(token);
    if (named !== issuer && named !== LEGACY_ISSUER) return undefined;
    const payload = signer.verify(token);
    if (payload === undefined) throw new InvalidToken('invalid signature');
    const claims = claimsOf(payload);
    if (named === LEGACY_ISSUER)
      return { user: userOfLegacyClaims(payload, token, reader), audiences: this.#meant(this.audiences, asked) };
    if (claims === undefined) throw new InvalidToken('claims are missing');
    const audiences = this.#meant(claims.aud, asked);
    return { user: userOfClaims(claims, reader, now()), audiences };
  }

  #meant(audiences: readonly string[], asked: readonly string[] = this.audiences): readonly string[] {
    const both = audiences.filter((audience) => asked.includes(audience));
    const quoted = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(' ')}]`;
    if (both.length === 0)
      throw new InvalidToken(
        `token audiences ${quoted(audiences)} is invalid for the target audiences ${quoted(asked)}`,
      );
    return both;
  }
}

/** Whose token a text says it is. Nothing of it is proven yet. */
function issuerIn(token: string): string | undefined {
  const [, payload = '', signature] = token.split('.');
  if (signature === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return isJsonObject(claims) && typeof claims['iss'] === 'string' ? claims['iss'] : undefined;
  } catch {
    return undefined;
  }
}
