// Kubeconfig files: their merge and the one cluster, user and namespace that a context stands for. Pure: files are read by
// others. Of two files that define the same name the first one counts, and so does the first current context.
// kubernetes:staging/src/k8s.io/client-go/tools/clientcmd/{loader,overrides,client_config}.go
import path from 'node:path';
import { parse } from 'yaml';
import { KubeconfigFault } from './client-fault.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Names and what they stand for; paths in them are absolute. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
  readonly currentContext: string;
}

export interface KubeconfigFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
}

const PATHS: Readonly<Record<'clusters' | 'users', readonly string[]>> = {
  clusters: ['certificate-authority'],
  users: ['client-certificate', 'client-key', 'tokenFile'],
};

export function mergeKubeconfigs(files: readonly KubeconfigFile[]): Kubeconfig {
  const [clusters, users, contexts] = [new Map<string, Entry>(), new Map<string, Entry>(), new Map<string, Entry>()];
  let currentContext = '';
  for (const file of files) {
    const config = parsed(file);
    const folder = path.dirname(file.path);
    addMissing(clusters, namedIn(config, 'clusters', file), (entry) => anchored(entry, PATHS.clusters, folder));
    addMissing(users, namedIn(config, 'users', file), (entry) =>
      anchored(withExec(entry, folder), PATHS.users, folder),
    );
    addMissing(contexts, namedIn(config, 'contexts', file), (entry) => entry);
    if (currentContext === '') currentContext = textIn(config, 'current-context') ?? '';
  }
  return { clusters, users, contexts, currentContext };
}

function parsed({ path: file, text }: KubeconfigFile): Entry {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const said = error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : '';
    throw new KubeconfigFault(`${file} is no kubeconfig: ${said.replace(/:$/, '')}`);
  }
  if (value === null || value === undefined) return {};
  if (!isEntry(value)) throw new KubeconfigFault(`${file} is no kubeconfig`);
  return value;
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function textIn(entry: Entry, key: string): string | undefined {
  const value = entry[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function namedIn(
  config: Entry,
  section: string,
  { path: file }: KubeconfigFile,
): readonly (readonly [string, Entry])[] {
  const list = config[section] ?? [];
  if (!Array.isArray(list)) throw new KubeconfigFault(`${file}: ${section} is no list`);
  return list.filter(isEntry).map((item) => {
    const held = item[section.slice(0, -1)];
    return [textIn(item, 'name') ?? '', isEntry(held) ? held : {}] as const;
  });
}

function addMissing(
  into: Map<string, Entry>,
  entries: readonly (readonly [string, Entry])[],
  change: (entry: Entry) => Entry,
): void {
  for (const [name, entry] of entries) if (!into.has(name)) into.set(name, change(entry));
}

/** Paths are written from the folder of the file that holds them. */
function anchored(entry: Entry, keys: readonly string[], folder: string): Entry {
  const found = keys.flatMap((key) => {
    const value = textIn(entry, key);
    return value === undefined ? [] : [[key, path.resolve(folder, value)] as const];
  });
  return { ...entry, ...Object.fromEntries(found) };
}

/** A command with a slash is a path, too; a bare one is looked for in PATH. */
function withExec(user: Entry, folder: string): Entry {
  const { exec } = user;
  if (!isEntry(exec)) return user;
  const command = textIn(exec, 'command') ?? '';
  const isPath = command.includes('/') && !path.isAbsolute(command);
  return isPath ? { ...user, exec: { ...exec, command: path.resolve(folder, command) } } : user;
}

export interface Chosen {
  readonly cluster: Entry;
  readonly user: Entry;
  readonly namespace: string;
  readonly context: string;
  readonly userName: string;
}

/** What a context stands for: the named one, or the current. */
export function chooseContext(config: Kubeconfig, wanted?: string): Chosen {
  const name = wanted ?? config.currentContext;
  if (name === '') throw new KubeconfigFault('no context is chosen: the kubeconfig has no current-context');
  const context = config.contexts.get(name);
  if (context === undefined) throw new KubeconfigFault(`the kubeconfig has no context ${JSON.stringify(name)}`);
  const [clusterName, userName] = [textIn(context, 'cluster') ?? '', textIn(context, 'user') ?? ''];
  const cluster = config.clusters.get(clusterName);
  if (cluster === undefined)
    throw new KubeconfigFault(`context ${JSON.stringify(name)} names a cluster that is not there: ${clusterName}`);
  const user = userName === '' ? {} : config.users.get(userName);
  if (user === undefined)
    throw new KubeconfigFault(`context ${JSON.stringify(name)} names a user that is not there: ${userName}`);
  return { cluster, user, namespace: textIn(context, 'namespace') ?? 'default', context: name, userName };
}

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly (readonly [string, string])[];
  readonly installHint: string | undefined;
  /** Whether the plug-in is told which cluster it is asked for. */
  readonly providesClusterInfo: boolean;
  readonly interactiveMode: string;
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

export function execPluginOf(user: Entry): ExecPlugin | undefined {
  const { exec } = user;
  if (!isEntry(exec)) return undefined;
  const command = textIn(exec, 'command');
  if (command === undefined) throw new KubeconfigFault('the exec plug-in of the kubeconfig has no command');
  const apiVersion = textIn(exec, 'apiVersion') ?? '';
  if (!EXEC_VERSIONS.includes(apiVersion))
    throw new KubeconfigFault(`exec plug-in ${command}: apiVersion ${JSON.stringify(apiVersion)} is not supported`);
  const env = Array.isArray(exec['env']) ? exec['env'].filter(isEntry) : [];
  return {
    apiVersion,
    command,
    args: Array.isArray(exec['args']) ? exec['args'].map(String) : [],
    env: env.map((each) => [textIn(each, 'name') ?? '', textIn(each, 'value') ?? ''] as const),
    installHint: textIn(exec, 'installHint'),
    providesClusterInfo: exec['provideClusterInfo'] === true,
    interactiveMode: textIn(exec, 'interactiveMode') ?? 'IfAvailable',
  };
}

/** Headers of a user whose place another one takes. */
export function impersonationOf(user: Entry): readonly (readonly [string, string])[] {
  const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  const name = textIn(user, 'as');
  const uid = textIn(user, 'as-uid');
  const groups = list(user['as-groups']);
  const extra = isEntry(user['as-user-extra']) ? Object.entries(user['as-user-extra']) : [];
  if (name === undefined && (groups.length > 0 || uid !== undefined || extra.length > 0))
    throw new KubeconfigFault('the kubeconfig impersonates groups without a user');
  return [
    ...(name === undefined ? [] : [['Impersonate-User', name] as const]),
    ...(uid === undefined ? [] : [['Impersonate-Uid', uid] as const]),
    ...groups.map((group) => ['Impersonate-Group', group] as const),
    ...extra.flatMap(([key, values]) =>
      list(values).map((value) => [`Impersonate-Extra-${encodeURIComponent(key)}`, value] as const),
    ),
  ];
}
