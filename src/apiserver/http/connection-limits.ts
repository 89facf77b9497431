// How long a connection may take for what it does, and how many there may be. A client that says little and slowly must not
// cost more than one that is not there.
import type { ServerHttp2Session } from 'node:http2';
import { type Clock, type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';

export interface ConnectionLimits {
  /** From the first byte to a settled TLS. */
  readonly handshakeMs: DurationMs;
  /** From a settled TLS, or the first byte of a later request, to the end of a request's headers. */
  readonly headersMs: DurationMs;
  /** From the headers of a request to the end of its body. */
  readonly bodyMs: DurationMs;
  /** Without a request under way. kubernetes:staging/src/k8s.io/apiserver/pkg/server/secure_serving.go has 90 s. */
  readonly idleMs: DurationMs;
  /** Further ones are closed at once. Each is a file descriptor and about 100 kB with its buffers. */
  readonly connectionsMax: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  handshakeMs: 10 * SECOND_MS,
  headersMs: 10 * SECOND_MS,
  bodyMs: MINUTE_MS,
  idleMs: 3 * MINUTE_MS,
  connectionsMax: 10_000,
};

/** Slow headers and bodies of HTTP/1.1 are looked for this often, so that they last longer by a fifth at most. */
export const checkingIntervalMs = ({ headersMs }: ConnectionLimits): DurationMs => Math.ceil(headersMs / 5);

/** HTTP/2: the first request must come as soon as headers must; later the connection may rest between requests. */
export function endWhenIdle(session: ServerHttp2Session, clock: Clock, limits: ConnectionLimits): void {
  const endAfter = (delay: DurationMs): { cancel(): void } =>
    clock.after(delay, () => session.destroy(), { background: true });
  let timer = endAfter(limits.headersMs);
  let open = 0;
  session.on('stream', (stream) => {
    open++;
    timer.cancel();
    stream.once('close', () => {
      open--;
      if (open === 0 && !session.destroyed) timer = endAfter(limits.idleMs);
    });
  });
  session.once('close', () => timer.cancel());
}
