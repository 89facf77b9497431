// Connects to a cluster, runs chosen controllers on it and tells how it goes, until the process is asked to end.
import { randomUUID } from 'node:crypto';
import { homedir, hostname } from 'node:os';
import type { Log } from '../base/log.ts';
import { SeededRandom } from '../base/random.ts';
import { SystemClock } from '../base/system-clock.ts';
import { isApiError } from '../kube/api-error.ts';
import { KubeconfigFault } from '../kubeclient/client-fault.ts';
import { type KubeClient, connect } from '../kubeclient/kubeclient.ts';
import { messageOf } from '../runtime/supervise.ts';
import { DEFAULT_PROFILE, PROFILES } from '../worlds/profiles.ts';
import { RemoteWorld, remoteNames } from '../worlds/remote.ts';
import { CommandError, EXIT } from './command-error.ts';
import { signalled } from './signalled.ts';
import { standardError } from './standard-error.ts';

/** A stop that takes longer leaves Leases to run out by themselves. */
const STOP_MS_MAX = 5000;
const HOLD_MS = 3_600_000;

export interface RunControllersOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly only?: readonly string[];
  readonly csiAddress: string;
  readonly leaderElect: boolean;
  readonly leaderElectResourceName?: string;
}

export const listControllers = remoteNames;

export async function runControllers(options: RunControllersOptions): Promise<void> {
  const { leaderElect, leaderElectResourceName: leaseName } = options;
  const chosen = chosenFrom(options.only);
  const clock = new SystemClock();
  const random = new SeededRandom(randomUUID());
  const client = connected(options, { clock, random, onForbidden: onceEach(tellMissingRight) });
  const profile = profileOf(await versionOf(client));
  const identity = `${hostname()}_${randomUUID()}`;
  const election = leaderElect
    ? { identity, leaseName, onLeader: (...all: [string, string]) => told(...all) }
    : undefined;
  const shared = { access: client, clock, random, log: quietLog, chosen, drivers: [], profile, settings: {} };
  const world = new RemoteWorld({ ...shared, election });
  const told = (lease: string, leader: string): void => {
    const parts = (world.programs.get(lease) ?? []).join(', ');
    say(leader === identity ? `leading ${lease}: ${parts} at work` : `waiting for ${lease}, held by ${leader}`);
  };
  say(`mooring controllers on ${client.server} as ${identity}, Kubernetes ${profile}; Ctrl-C stops it`);
  if (!leaderElect) say(`at work: ${[...world.programs.values()].flat().join(', ')}`);
  world.start();
  // One that waits for its turn has nothing else that keeps the process.
  const hold = setInterval(() => undefined, HOLD_MS);
  await signalled();
  await Promise.race([world.stop(), clock.sleep(STOP_MS_MAX)]);
  clearInterval(hold);
  client.close();
  say('stopped');
  // A request that is never answered must not hold the process.
  process.exit(EXIT.fine);
}

function chosenFrom(only: readonly string[] | undefined): readonly string[] {
  const known = remoteNames();
  const unknown = (only ?? []).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new CommandError(`no controller is called ${unknown.join(', ')}; mooring controllers --list prints them`);
  if (only?.length === 0) throw new CommandError('--only names no controller');
  return only ?? known;
}

function connected(
  { kubeconfig, context, csiAddress }: RunControllersOptions,
  around: Pick<Parameters<typeof connect>[0], 'clock' | 'random' | 'onForbidden'>,
): KubeClient {
  if (csiAddress !== 'none')
    throw new CommandError('--csi-address: sidecars over a socket need a later version; only "none" is taken');
  try {
    return connect({ ...around, log: quietLog, environment: process.env, home: homedir(), kubeconfig, context });
  } catch (error) {
    if (error instanceof KubeconfigFault) throw new CommandError(error.message);
    throw error;
  }
}

async function versionOf(client: KubeClient): Promise<string> {
  try {
    const { gitVersion = '' } = (await client.read('/version')) as { readonly gitVersion?: string };
    return gitVersion;
  } catch (error) {
    if (!isApiError(error)) throw error;
    const who = error.code === 401 ? `${client.server} does not know who we are` : messageOf(error);
    throw new CommandError(who, EXIT.unreachable);
  }
}

/** The version that the server has, or the nearest that is known. */
function profileOf(gitVersion: string): string {
  const minor = /^v?(1\.\d+)/u.exec(gitVersion)?.[1] ?? '';
  return PROFILES.find((profile) => profile === minor || profile.startsWith(`${minor}.`)) ?? DEFAULT_PROFILE;
}

function tellMissingRight(message: string): void {
  process.stderr.write(`mooring: a right is missing: ${message}\n`);
}

function onceEach(tell: (message: string) => void): (message: string) => void {
  const seen = new Set<string>();
  return (message) => {
    if (seen.has(message)) return;
    seen.add(message);
    tell(message);
  };
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** What controllers try again is no news; what should not happen is. */
const quietLog: Log = {
  write: (level, message, fields) => {
    if (level !== 'error' && level !== 'warn') return;
    const { error, ...rest } = fields ?? {};
    if (isApiError(error)) return;
    standardError.write(level, message, rest);
  },
};
