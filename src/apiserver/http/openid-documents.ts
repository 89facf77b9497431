// How others check tokens of service accounts without asking the server: where the keys are, and the keys.
// kubernetes:pkg/serviceaccount/openidmetadata.go
import { type HttpAnswer, type HttpRequest, pageNotFound, wholeAnswer } from './http-exchange.ts';
import { methodNotAllowed } from '../../kube/api-error.ts';
import { JSON_TYPE, requireRouteAccepts } from './media-type.ts';

const KEY_SET_TYPE = 'application/jwk-set+json';
const KEPT_AN_HOUR = { 'cache-control': 'public, max-age=3600' };

export interface OpenIdFacts {
  readonly issuer: string;
  readonly algorithm: string;
  /** `https://127.0.0.1:6443` */
  readonly address: () => string;
  readonly keySet: object;
}

export function openIdDocument(
  words: readonly string[],
  request: HttpRequest,
  facts: OpenIdFacts | undefined,
): HttpAnswer {
  const path = words.join('/');
  const isKnown = path === '.well-known/openid-configuration' || path === 'openid/v1/jwks';
  if (facts === undefined || !isKnown) return pageNotFound();
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  const type = path === 'openid/v1/jwks' ? KEY_SET_TYPE : JSON_TYPE;
  requireRouteAccepts(request.header('accept') || '*/*', [type]);
  const document = type === KEY_SET_TYPE ? facts.keySet : configurationOf(facts);
  return wholeAnswer(200, type, JSON.stringify(document), KEPT_AN_HOUR);
}

const configurationOf = ({ issuer, algorithm, address }: OpenIdFacts): object => ({
  issuer,
  jwks_uri: `${address()}/openid/v1/jwks`,
  response_types_supported: ['id_token'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [algorithm],
});
