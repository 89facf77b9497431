// Puts an API server together and opens its door: core, rules, certificates, kubeconfig.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { AccessControl, DEFAULT_ISSUER } from '../apiserver/access-control.ts';
import { ApiServer, type Commit } from '../apiserver/apiserver.ts';
import { byCertificate, byToken } from '../apiserver/http/authentication.ts';
import { type CertificateAuthority, openAuthority } from '../apiserver/http/certificates/authority.ts';
import { loadCel } from '../apiserver/http/cel/cel.ts';
import { Endpoint } from '../apiserver/http/endpoint.ts';
import { HttpServer } from '../apiserver/http/http.ts';
import type { MadeKind } from '../apiserver/http/served-apis.ts';
import { NodeConnections } from '../apiserver/http/node-connections.ts';
import { openAuditLog } from '../apiserver/http/audit-log.ts';
import { openTokenSigner } from '../apiserver/http/token-key.ts';
import { SIGNATURE_ALGORITHM } from '../apiserver/http/token-signer.ts';
import { ObjectBytes } from '../apiserver/object-bytes.ts';
import type { ObjectStore } from '../apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../apiserver/registry/strategies.ts';
import { tableStrategies } from '../apiserver/registry/table-kinds.ts';
import { ensureSystemObjects } from '../apiserver/systemobjects/system-objects.ts';
import type { TokenSigner } from '../apiserver/serviceaccount/token-issuer.ts';
import { type Storage, StorageRefused } from '../apiserver/storage/storage.ts';
import type { Clock } from '../base/clock.ts';
import { type Random, SeededRandom } from '../base/random.ts';
import { SystemClock } from '../base/system-clock.ts';
import { clusterClock, showing } from '../worlds/cluster-clock.ts';
import type { NodeDoor } from '../worlds/node-endpoint.ts';
import { type OpenStorageOptions, type OpenedStorage, UnknownStore, openStorage } from '../worlds/open-storage.ts';
import { CommandError, EXIT } from './command-error.ts';
import { identityPolicy, writeIdentities } from './identities.ts';
import { servedAdmission } from './served-admission.ts';
import { standardError } from './standard-error.ts';

const LOOPBACK = '127.0.0.1';
/** Whom a kubelet sees when it is asked for logs. */
const KUBELET_CLIENT = { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] };
const NAMES = ['localhost', LOOPBACK, '::1'];

export interface ServeOptions {
  readonly directory: string;
  readonly port: number;
  /** `memory`, `embedded` or `etcd://HOST:PORT`. */
  readonly store: string;
  /** Written when the server can be reached, readable by their owner alone. */
  readonly kubeconfigs: readonly string[];
  /** Nodes whose kubelets get an identity. */
  readonly nodes?: readonly string[];
  /** Where every request is written down, one JSON object a line. */
  readonly auditLog?: string;
  /** Seconds of the cluster in one real second; 1 unless told otherwise. */
  readonly speed?: number;
  /** Kinds that are served without being stored. */
  readonly made?: readonly MadeKind[];
  /** Told of every committed write before the request is answered. */
  readonly onCommit?: (commit: Commit) => void;
}

export interface RunningApi {
  readonly address: string;
  readonly server: ApiServer;
  /** What the server answers from. */
  readonly store: ObjectStore;
  /** What makes its writes last. */
  readonly storage: Storage | undefined;
  /** The time of the cluster: that of all timestamps in objects. */
  readonly clock: Clock;
  readonly random: Random;
  /** The certificate behind the server's own, in PEM. */
  readonly rootCa: string;
  /** What servers of virtual nodes need: they know whom this one knows. */
  readonly nodeDoor: NodeDoor & { readonly authority: CertificateAuthority; readonly clock: Clock };
  /** Writes kubeconfig and identities: whoever finds them may come. */
  announce(): void;
  close(): Promise<void>;
}

export async function serveApi(options: ServeOptions): Promise<RunningApi> {
  const { directory, port, kubeconfigs, nodes = [], auditLog, made = [] } = options;
  const real = new SystemClock();
  const keys = path.join(directory, 'pki');
  const authority = openAuthority(keys, real.now());
  const signer = openTokenSigner(keys);
  const random = new SeededRandom(randomUUID());
  const { server, access, store, storage, clock } = await coreOf(options, { real, random, signer });
  let address = '';
  const shown = showing(clock, real);
  const audit = auditLog === undefined ? undefined : openAuditLog(auditLog, { clock: shown, random });
  const authenticators = [byCertificate, byToken(access.tokens)];
  const endpoint = new Endpoint({
    server,
    clock: shown,
    log: standardError,
    authenticators,
    authorizer: access.authorizer,
    openId: {
      issuer: DEFAULT_ISSUER,
      algorithm: SIGNATURE_ALGORITHM,
      address: () => `https://${address}`,
      keySet: signer.keySet,
    },
    ...(audit === undefined ? {} : { audit }),
    names: NAMES,
    address: () => address,
    checks: { storage: () => storage?.fault === undefined },
    connections: nodeConnections(authority, real),
    made,
  });
  const serving = authority.issue({ commonName: 'mooring-apiserver' }, { type: 'server', names: NAMES }, real.now());
  const tls = { ...serving, clientAuthority: authority.certificate };
  const http = new HttpServer({ endpoint, clock: real, log: standardError, tls });
  const listening = await http.listen(LOOPBACK, port).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`cannot listen on ${LOOPBACK}:${port}: ${error.code ?? error.message}`);
  });
  address = `${LOOPBACK}:${listening.port}`;
  await ensureSystemObjects(server, { clock, port: listening.port, authority: authority.certificate });
  const announce = (): void =>
    writeIdentities({ authority, address: `https://${address}`, directory, nodes, kubeconfigs, now: real.now() });
  const close = async (): Promise<void> => {
    await http.close();
    audit?.flush();
    await storage?.close();
  };
  const rootCa = authority.certificate;
  const nodeDoor = { authenticators, authorizer: access.authorizer, log: standardError, authority, clock: real };
  return { address: `https://${address}`, server, store, storage, clock, random, rootCa, nodeDoor, announce, close };
}

function nodeConnections(authority: CertificateAuthority, clock: Clock): NodeConnections {
  return new NodeConnections({ clock, identity: authority.issue(KUBELET_CLIENT, { type: 'client' }, clock.now()) });
}

interface Core extends OpenedStorage {
  readonly server: ApiServer;
  readonly access: AccessControl;
  readonly clock: Clock;
}

/** The server behind its door, with the objects that every cluster has. Tokens are judged by real time. */
async function coreOf(
  { directory, store: kind, speed = 1, onCommit }: ServeOptions,
  { real, random, signer }: { readonly real: Clock; readonly random: Random; readonly signer: TokenSigner },
): Promise<Core> {
  const own = defaultStrategies();
  const strategies = [...own, ...tableStrategies(own)];
  const bytes = new ObjectBytes();
  const resources = strategies.map(({ resource }) => resource);
  const log = standardError;
  const { store, storage } = await opened({ kind, directory, resources, bytes, clock: real, log, machine });
  const clock = clusterClock({ real, speed, store, settling: () => storage?.settling() });
  const access = new AccessControl({ store, clock: real, random, signer });
  const server: ApiServer = new ApiServer({
    clock,
    watchClock: real,
    random,
    store,
    ...(storage === undefined ? {} : { storage }),
    bytes,
    // etcd lets them go by itself.
    expiresEvents: !kind.startsWith('etcd:'),
    compactsHistory: true,
    strategies,
    rules: await loadCel(),
    admission: [...servedAdmission({ clock, random, server: () => server }), ...access.admission],
    authorizer: access.authorizer,
    posted: access.posted,
    ...(onCommit === undefined ? {} : { onCommit }),
  });
  await server.bootstrapStorage();
  await access.reconcile(server, identityPolicy());
  return { server, access, store, storage, clock };
}

async function opened(options: OpenStorageOptions): Promise<OpenedStorage> {
  try {
    return await openStorage(options);
  } catch (error) {
    if (error instanceof UnknownStore) throw new CommandError(error.message);
    throw error instanceof StorageRefused ? new CommandError(error.message, EXIT.findings) : error;
  }
}

const machine = {
  pid: process.pid,
  platform: process.platform,
  isAlive: (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  },
};
