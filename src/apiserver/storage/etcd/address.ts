// `etcd://HOST:PORT`, and by query parameters the files of a TLS connection: `ca`, `cert`, `key`, `server-name`.
import type { ChannelTls } from '../../../grpc/channel.ts';
import { StorageRefused } from '../storage.ts';

export interface Address {
  readonly address: string;
  readonly tls?: ChannelTls;
}

const PARAMETERS = ['ca', 'cert', 'key', 'server-name'];

export function parseAddress(text: string, readFile: (path: string) => string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'etcd:' || url.host === '')
    throw new StorageRefused(`"${text}" is no address of an etcd: write etcd://127.0.0.1:2379`);
  const strange = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (strange !== undefined)
    throw new StorageRefused(`etcd has no parameter "${strange}": there are ${PARAMETERS.join(', ')}`);
  const address = `${url.hostname}:${url.port === '' ? '2379' : url.port}`;
  if (url.searchParams.size === 0) return { address };
  const file = (name: 'ca' | 'cert' | 'key'): Partial<Record<typeof name, string>> => {
    const path = url.searchParams.get(name);
    return path === null ? {} : { [name]: readPem(path, readFile) };
  };
  const serverName = url.searchParams.get('server-name');
  const named = serverName === null ? {} : { serverName };
  return { address, tls: { ...file('ca'), ...file('cert'), ...file('key'), ...named } };
}

function readPem(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path);
  } catch {
    throw new StorageRefused(`${path} cannot be read`);
  }
}
