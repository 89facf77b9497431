// Credentials from a plug-in program, kept until they expire or the server refuses them. Calls that come while the plug-in
// runs wait for the same run. What it prints is never logged.
// kubernetes:staging/src/k8s.io/client-go/plugin/pkg/client/auth/exec/exec.go
import { execFile } from 'node:child_process';
import type { Clock, InstantMs } from '../base/clock.ts';
import { Unreachable, firstLine } from './client-fault.ts';
import type { ExecPlugin } from './kubeconfig.ts';
import type { Environment } from './proxy.ts';

/** A plug-in that hangs must not hang everything: upstream waits for ever. */
const RUN_MS_MAX = 60_000;
const OUTPUT_BYTES_MAX = 4 * 1024 * 1024;

export interface Credential {
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

/** As the plug-in is told of it. */
export interface ClusterInfo {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
}

interface ExecCredentialOptions {
  readonly plugin: ExecPlugin;
  readonly cluster: ClusterInfo;
  readonly clock: Clock;
  readonly environment: Environment;
}

interface Kept {
  readonly credential: Credential;
  readonly expiresAt: InstantMs;
}

export class ExecCredential {
  readonly #options: ExecCredentialOptions;
  #kept: Kept | undefined;
  #running: Promise<Kept> | undefined;

  constructor(options: ExecCredentialOptions) {
    this.#options = options;
  }

  async get(): Promise<Credential> {
    if (this.#kept !== undefined && this.#options.clock.now() < this.#kept.expiresAt) return this.#kept.credential;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    this.#kept = await this.#running;
    return this.#kept.credential;
  }

  /** The server refused what was given: the next call asks the plug-in again. */
  forget(refused: Credential): boolean {
    if (this.#kept?.credential === refused) this.#kept = undefined;
    return true;
  }

  async #run(): Promise<Kept> {
    const { plugin, clock } = this.#options;
    const printed = await this.#printed();
    const { credential, expires } = readCredential(plugin, printed);
    const expiresAt = expires === undefined ? Infinity : Date.parse(expires);
    if (Number.isNaN(expiresAt)) throw failed(plugin, 'its expirationTimestamp is no time');
    if (expiresAt <= clock.now()) throw failed(plugin, 'it gave a credential that has expired');
    return { credential, expiresAt };
  }

  #printed(): Promise<string> {
    const { plugin, environment, cluster } = this.#options;
    const spec = { interactive: false, ...(plugin.providesClusterInfo ? { cluster } : {}) };
    const info = { apiVersion: plugin.apiVersion, kind: 'ExecCredential', spec };
    const env = { ...environment, ...Object.fromEntries(plugin.env), KUBERNETES_EXEC_INFO: JSON.stringify(info) };
    const options = { env, timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX, encoding: 'utf8' } as const;
    return new Promise((resolve, reject) => {
      const child = execFile(plugin.command, plugin.args, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(failed(plugin, failureOf(error, stderr)));
      });
      child.stdin?.end();
    });
  }
}

function failureOf(error: Error & { readonly code?: unknown; readonly killed?: boolean }, stderr: string): string {
  if (error.code === 'ENOENT') return 'it is not installed';
  if (error.killed === true) return `it did not end within ${RUN_MS_MAX / 1000} s`;
  const said = firstLine(stderr);
  return said === '' ? `it ended with ${String(error.code)}` : `it ended with ${String(error.code)}: ${said}`;
}

function failed(plugin: ExecPlugin, why: string): Unreachable {
  const hint = plugin.installHint === undefined ? '' : ` (${firstLine(plugin.installHint)})`;
  return new Unreachable('credentials', `no credentials from exec plug-in ${plugin.command}: ${why}${hint}`);
}

function readCredential(
  plugin: ExecPlugin,
  printed: string,
): { readonly credential: Credential; readonly expires: string | undefined } {
  const answer = recordIn(parsed(plugin, printed));
  if (answer['kind'] !== 'ExecCredential' || answer['apiVersion'] !== plugin.apiVersion)
    throw failed(plugin, `it printed no ExecCredential of ${plugin.apiVersion}`);
  const status = recordIn(answer['status']);
  const text = (key: string): string | undefined => {
    const value = status[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [token, cert, key] = [text('token'), text('clientCertificateData'), text('clientKeyData')];
  if ((cert === undefined) !== (key === undefined)) throw failed(plugin, 'it gave a certificate without its key');
  if (token === undefined && cert === undefined) throw failed(plugin, 'it gave neither token nor certificate');
  const credential = {
    ...(token === undefined ? {} : { token }),
    ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
  };
  return { credential, expires: text('expirationTimestamp') };
}

function parsed(plugin: ExecPlugin, printed: string): unknown {
  try {
    return JSON.parse(printed) as unknown;
  } catch {
    throw failed(plugin, 'it did not print JSON');
  }
}

const recordIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
