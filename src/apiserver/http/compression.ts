// Large answers are compressed for clients that ask for it; small ones are not worth it.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HeaderValues } from './http-exchange.ts';

const GZIP_BYTES_MIN = 128 * 1024;
/** The quickest: loopback is faster than better compression. */
const GZIP_LEVEL = 1;

const gzipped = promisify<Uint8Array, { readonly level: number }, Buffer>(gzip);

export async function compressed(
  body: Uint8Array,
  acceptEncoding: string,
): Promise<{ readonly body: Uint8Array; readonly encodingHeaders: HeaderValues }> {
  const isWanted = acceptEncoding.split(',').some((each) => each.trim() === 'gzip');
  if (!isWanted || body.length <= GZIP_BYTES_MIN) return { body, encodingHeaders: {} };
  const encodingHeaders = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' };
  return { body: await gzipped(body, { level: GZIP_LEVEL }), encodingHeaders };
}
