// Which proxy stands between us and a server: the cluster's own, or the environment's, unless the server is excepted.
// golang.org/x/net/http/httpproxy
import { isIP } from 'node:net';
import { KubeconfigFault } from './client-fault.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined: none. `http:` and `https:` proxies are asked to connect through. */
export function proxyFor(server: URL, own: string | undefined, environment: Environment): URL | undefined {
  const text = own ?? fromEnvironment(server, environment);
  if (text === undefined || text === '') return undefined;
  const url = parsedUrl(text.includes('://') ? text : `http://${text}`);
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new KubeconfigFault(`the proxy ${withoutSecret(text)} cannot be used: only http and https are supported`);
  return url;
}

const parsedUrl = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);
const withoutSecret = (text: string): string => text.replace(/\/\/[^@/]*@/, '//');

function fromEnvironment({ protocol, hostname, port }: URL, environment: Environment): string | undefined {
  const read = (name: string): string | undefined => environment[name] || environment[name.toLowerCase()] || undefined;
  const proxy = read(protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const host = hostname.replace(/^\[|\]$/g, '');
  if (proxy === undefined || isLoopback(host)) return undefined;
  const at = { host, port: port || (protocol === 'https:' ? '443' : '80') };
  return (read('NO_PROXY') ?? '').split(',').some((rule) => excepts(rule.trim().toLowerCase(), at)) ? undefined : proxy;
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);

/** `*`, `10.0.0.0/8`, `10.1.2.3`, `example.com` (and what is below it), `.example.com` (only below), each with a port or not. */
function excepts(rule: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return isInNetwork(host, rule);
  const [, name = rule, rulePort] = /^(.*?)(?::(\d+))?$/.exec(rule) ?? [];
  if (isIP(rule) === 6) return host === rule;
  if (rulePort !== undefined && rulePort !== port) return false;
  const suffix = name.replace(/^\*?\./, '.');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isInNetwork(host: string, network: string): boolean {
  const [address = '', length = ''] = network.split('/');
  const [own, other] = [bitsOf(host), bitsOf(address)];
  if (own === undefined || other === undefined || own.length !== other.length) return false;
  return own.slice(0, Number(length)) === other.slice(0, Number(length));
}

/** An IPv4 address as zeros and ones. */
function bitsOf(address: string): string | undefined {
  if (isIP(address) !== 4) return undefined;
  return address
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
}
