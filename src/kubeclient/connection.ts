// Where the server is, how it proves itself and how we do: read from kubeconfig files, or from the files that every pod has.
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock, InstantMs } from '../base/clock.ts';
import { KubeconfigFault, Unreachable } from './client-fault.ts';
import { type Credential, ExecCredential } from './exec-credential.ts';
import {
  type Chosen,
  type KubeconfigFile,
  chooseContext,
  execPluginOf,
  impersonationOf,
  mergeKubeconfigs,
  textIn,
} from './kubeconfig.ts';
import { type Environment, proxyFor } from './proxy.ts';

export interface Connection {
  readonly server: URL;
  readonly proxy: URL | undefined;
  readonly tls: ServerProof;
  readonly credentials: Credentials;
  /** Headers of the user whose place is taken. */
  readonly impersonation: readonly (readonly [string, string])[];
  /** Where namespaced objects are looked for if nobody says. */
  readonly namespace: string;
  readonly context: string;
}

export interface ServerProof {
  /** PEM; undefined: the machine's own authorities. */
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
  readonly isUnchecked: boolean;
}

export interface Credentials {
  /** Throws an Unreachable. Asked before every request. */
  get(): Promise<Credential & { readonly basic?: string }>;
  /** The server answered 401 to this one. True: the next one may be another. */
  refused(credential: Credential): boolean;
}

export interface ConnectOptions {
  readonly clock: Clock;
  readonly environment: Environment;
  readonly home: string;
  /** Instead of KUBECONFIG and the file in the home directory. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  /** Where a pod finds its own token, authority and namespace. */
  readonly podFolder?: string;
}

/** Throws a KubeconfigFault. */
export function resolveConnection(options: ConnectOptions): Connection {
  const files = kubeconfigFiles(options);
  if (files.length === 0) return inCluster(options);
  return connectionOf(chooseContext(mergeKubeconfigs(files), options.context), options);
}

/** Files of a KUBECONFIG list may be missing, a file that is asked for by name may not. */
function kubeconfigFiles({ kubeconfig, environment, home }: ConnectOptions): readonly KubeconfigFile[] {
  if (kubeconfig !== undefined && kubeconfig !== '') return [readNamed(kubeconfig)];
  const listed = (environment['KUBECONFIG'] ?? '').split(path.delimiter).filter((file) => file !== '');
  const files = listed.length > 0 ? listed : [path.join(home, '.kube', 'config')];
  const found = [...new Set(files)].filter((file) => existsSync(file)).map(readNamed);
  if (found.length === 0 && listed.length > 0)
    throw new KubeconfigFault(`KUBECONFIG names no file that exists: ${listed.join(path.delimiter)}`);
  return found;
}

const readNamed = (file: string): KubeconfigFile => ({ path: path.resolve(file), text: readText(file, 'kubeconfig') });

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'is not there' : code === 'EACCES' ? 'may not be read' : `cannot be read (${code})`;
    throw new KubeconfigFault(`the ${what} ${file} ${why}`);
  }
}

function connectionOf({ cluster, user, namespace, context }: Chosen, options: ConnectOptions): Connection {
  const server = serverUrl(textIn(cluster, 'server') ?? 'http://localhost:8080');
  const tls = {
    ca: pemOf(cluster, 'certificate-authority', 'certificate authority'),
    serverName: textIn(cluster, 'tls-server-name'),
    isUnchecked: cluster['insecure-skip-tls-verify'] === true,
  };
  if (tls.isUnchecked && tls.ca !== undefined)
    throw new KubeconfigFault('the kubeconfig names a certificate authority and says not to check it');
  const own = textIn(cluster, 'proxy-url');
  return {
    server,
    proxy: proxyFor(server, own, options.environment),
    tls,
    credentials: credentialsOf(user, { ...options, server, tls, proxyUrl: own }),
    impersonation: impersonationOf(user),
    namespace,
    context,
  };
}

function serverUrl(text: string): URL {
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address))
    throw new KubeconfigFault(`the kubeconfig's server ${JSON.stringify(text)} is no address`);
  const url = new URL(address);
  if (!['http:', 'https:'].includes(url.protocol))
    throw new KubeconfigFault(`the kubeconfig's server ${text} is neither http nor https`);
  return url;
}

/** Data in the kubeconfig goes before a file that it names. */
function pemOf(entry: Chosen['cluster'], key: string, what: string): string | undefined {
  const data = textIn(entry, `${key}-data`);
  if (data !== undefined) {
    const pem = Buffer.from(data, 'base64').toString('utf8');
    if (!pem.includes('-----BEGIN ')) throw new KubeconfigFault(`${key}-data of the kubeconfig is no PEM in base64`);
    return pem;
  }
  const file = textIn(entry, key);
  return file === undefined ? undefined : readText(file, what);
}

interface Around extends ConnectOptions {
  readonly server: URL;
  readonly tls: ServerProof;
  readonly proxyUrl: string | undefined;
}

function credentialsOf(user: Chosen['user'], around: Around): Credentials {
  const { clock } = around;
  const [cert, key] = [
    pemOf(user, 'client-certificate', 'client certificate'),
    pemOf(user, 'client-key', 'client key'),
  ];
  if ((cert === undefined) !== (key === undefined))
    throw new KubeconfigFault(
      'the kubeconfig has a client certificate without its key, or a key without its certificate',
    );
  const certificate = cert === undefined || key === undefined ? {} : { certificate: { cert, key } };
  const tokenFile = textIn(user, 'tokenFile');
  const token = textIn(user, 'token');
  const [name, password] = [textIn(user, 'username'), textIn(user, 'password')];
  if (tokenFile !== undefined) return fileToken(tokenFile, clock, certificate);
  if (token !== undefined) return fixed({ ...certificate, token });
  const plugin = execPluginOf(user);
  if (plugin !== undefined) {
    const exec = new ExecCredential({ plugin, cluster: clusterInfo(around), clock, environment: around.environment });
    return { get: () => exec.get(), refused: (credential) => exec.forget(credential) };
  }
  if (name !== undefined) return fixed({ ...certificate, basic: `${name}:${password ?? ''}` });
  if (user['auth-provider'] !== undefined)
    throw new KubeconfigFault('auth-provider of the kubeconfig is no longer supported by anyone: use an exec plug-in');
  return fixed(certificate);
}

function clusterInfo({ server, tls, proxyUrl }: Around): ConstructorParameters<typeof ExecCredential>[0]['cluster'] {
  return {
    server: server.href.replace(/\/$/, ''),
    ...(tls.serverName === undefined ? {} : { 'tls-server-name': tls.serverName }),
    ...(tls.isUnchecked ? { 'insecure-skip-tls-verify': true } : {}),
    ...(tls.ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(tls.ca).toString('base64') }),
    ...(proxyUrl === undefined ? {} : { 'proxy-url': proxyUrl }),
  };
}

const fixed = (credential: Credential & { readonly basic?: string }): Credentials => ({
  get: () => Promise.resolve(credential),
  refused: () => false,
});

/** Tokens in files are exchanged while we run. kubernetes:staging/src/k8s.io/client-go/transport/token_source.go */
const TOKEN_FILE_MS = 10_000;

function fileToken(file: string, clock: Clock, more: Credential): Credentials {
  let kept: { readonly token: string; readonly until: InstantMs } | undefined;
  return {
    get: () => {
      if (kept === undefined || clock.now() >= kept.until) {
        try {
          kept = { token: readText(file, 'token file').trim(), until: clock.now() + TOKEN_FILE_MS };
        } catch (error) {
          if (kept === undefined) return Promise.reject(new Unreachable('credentials', (error as Error).message));
        }
      }
      return Promise.resolve({ ...more, ...(kept === undefined ? {} : { token: kept.token }) });
    },
    refused: () => {
      kept = undefined;
      return true;
    },
  };
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** As every pod finds it. kubernetes:staging/src/k8s.io/client-go/rest/config.go */
function inCluster({ environment, clock, home, podFolder: folder = SERVICE_ACCOUNT }: ConnectOptions): Connection {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (host === undefined || port === undefined || statSync(folder, { throwIfNoEntry: false }) === undefined)
    throw new KubeconfigFault(
      `no kubeconfig: neither ${path.join(home, '.kube', 'config')} nor KUBECONFIG nor a pod's own`,
    );
  const server = serverUrl(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return {
    server,
    proxy: proxyFor(server, undefined, environment),
    tls: {
      ca: readText(path.join(folder, 'ca.crt'), 'certificate authority'),
      serverName: undefined,
      isUnchecked: false,
    },
    credentials: fileToken(path.join(folder, 'token'), clock, {}),
    impersonation: [],
    namespace: readText(path.join(folder, 'namespace'), 'namespace file').trim(),
    context: 'in-cluster',
  };
}
