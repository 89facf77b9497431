// Web pages of other sites must not reach a server on this machine: neither by a script (Origin) nor by a name that was
// pointed at the loopback address (Host). Command-line clients send no Origin.
import { isIP } from 'node:net';
import { forbidden } from '../../kube/api-error.ts';

/** `names` is what the server may be called; addresses are always fine, because no web page's name is one. */
export function refuseForeignOrigin(host: string, origin: string, names: ReadonlySet<string>): void {
  const called = hostOf(host);
  if (called !== '' && isIP(called) === 0 && !names.has(called))
    throw forbidden(undefined, '', `this server is not called ${JSON.stringify(called)}`);
  if (origin !== '' && !isOwn(origin, host))
    throw forbidden(undefined, '', 'requests of web pages of other sites are refused');
}

const isOwn = (origin: string, host: string): boolean => URL.canParse(origin) && new URL(origin).host === host;

/** Without the port and the brackets of an IPv6 address. */
function hostOf(host: string): string {
  return host.startsWith('[') ? host.slice(1, host.indexOf(']')) : (host.split(':')[0] ?? '').toLowerCase();
}
