// What goes wrong before a server has answered. Callers in the engine see an ApiError that says "try again later"; programs
// tell it from an answer by its class, and print its message as it is: one line, without anything secret.
import { StatusError } from '../kube/api-error.ts';

/** The kubeconfig, or something it names, cannot be used. Trying again will not help. */
export class KubeconfigFault extends Error {
  override readonly name = 'KubeconfigFault';
}

/** `reset`: the connection broke, perhaps after the server had acted. */
export type UnreachableCause = 'network' | 'reset' | 'certificate' | 'credentials' | 'timeout' | 'aborted' | 'answer';

/** The server did not answer, or not as an API server answers. */
export class Unreachable extends StatusError {
  readonly why: UnreachableCause;

  constructor(why: UnreachableCause, message: string) {
    super({ code: 503, reason: 'ServiceUnavailable', message });
    this.why = why;
  }
}

/** Codes of node and OpenSSL, in words that name what to look at. */
const CERTIFICATE_WORDS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is signed by an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  CERT_SIGNATURE_FAILURE: 'its certificate is signed by an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  EPROTO: 'it does not speak TLS as expected',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it refuses our client certificate: signed by an authority unknown to it',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it demands a client certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'it refuses our client certificate',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'it refuses our client certificate: expired',
};
const NETWORK_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name cannot be resolved now',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'connection timed out',
};

/** `server` is scheme, host and port. */
export function unreachable(server: string, error: NodeJS.ErrnoException): Unreachable {
  const { code = '' } = error;
  const certificate = CERTIFICATE_WORDS[code];
  if (certificate !== undefined) return new Unreachable('certificate', `${server} cannot be trusted: ${certificate}`);
  const why = code === 'ECONNRESET' || code === 'EPIPE' ? 'reset' : 'network';
  return new Unreachable(why, `cannot reach ${server}: ${NETWORK_WORDS[code] ?? firstLine(error.message)}`);
}

export const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';
