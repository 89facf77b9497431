// What `mooring chaos` asks of the cluster, and what it prints.
import { SECOND_MS } from '../base/clock.ts';
import { SystemClock } from '../base/system-clock.ts';
import { isApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type FaultObject, type FaultSpec, Faults, apiVersionOfFaults } from '../simulation/chaos/fault-object.ts';
import { nearest } from '../simulation/yaml-reader.ts';
import { type ClusterPlace, withCluster } from './cluster-client.ts';
import { CommandError, EXIT } from './command-error.ts';
import { printed } from './output.ts';
import { printTable } from './table.ts';

/** A fault begins within a moment of its object; a cluster that does not begin it in this time is not ours. */
const BEGINS_WITHIN_MS = 10 * SECOND_MS;
const LOOK_EVERY_MS = 20;

export interface FaultRequest {
  /** What its name begins with. */
  readonly name: string;
  readonly spec: FaultSpec;
}

/** Answers when it is in force. */
export function beginFault(place: ClusterPlace, { name, spec }: FaultRequest): Promise<string> {
  return withFaults(place, async (cluster) => {
    const generateName = `${name.toLowerCase().replaceAll(/[^a-z0-9.-]+/g, '-')}-`;
    const made = await create(cluster, { generateName, spec });
    const { metadata, status } = await begun(cluster, made.metadata.name);
    if (status?.state === 'Refused') throw new CommandError(status.message ?? 'refused', EXIT.findings);
    const ending = spec.duration === undefined ? `; mooring chaos clear ${metadata.name} ends it` : '';
    const state = status?.state === 'Ended' ? 'done' : `in force${ending}`;
    return `${metadata.name}: ${spec.type} of ${status?.target ?? ''} ${state}\n`;
  });
}

async function create(
  cluster: Cluster,
  { generateName, spec }: { readonly generateName: string; readonly spec: FaultSpec },
): Promise<FaultObject> {
  try {
    return await cluster.create(Faults, {
      apiVersion: apiVersionOfFaults,
      kind: 'Fault',
      metadata: { generateName },
      spec,
    });
  } catch (error) {
    // The server tells each field by its path and what it may be.
    if (isApiError(error, 'Invalid')) throw new CommandError(refusalOf(error.message), EXIT.findings);
    throw error;
  }
}

/** `Fault.chaos.mooring.dev "x" is invalid: [spec.node: …, <nil>: …]` without what only the server's author wants to know. */
function refusalOf(message: string): string {
  const told = message.replace(/^\S+ ".*?" is invalid: /, '').replace(/^\[(.*)\]$/s, '$1');
  return told.replace(/, <nil>: Invalid value.*$/s, '').replaceAll(/\s+/g, ' ');
}

async function begun(cluster: Cluster, name: string): Promise<FaultObject> {
  const clock = new SystemClock();
  const until = clock.monotonic() + BEGINS_WITHIN_MS;
  for (;;) {
    const object = await cluster.get(Faults, name);
    if (object.status !== undefined) return object;
    if (clock.monotonic() > until) throw new CommandError(`${name} was made, but nobody begins it`, EXIT.findings);
    await clock.sleep(LOOK_EVERY_MS);
  }
}

export function listFaults(place: ClusterPlace, output: string): Promise<string> {
  return withFaults(place, async (cluster) => {
    const { items } = await cluster.list(Faults);
    return printed(output, items.map(shown), () => tableOf(items));
  });
}

function tableOf(items: readonly FaultObject[]): string {
  if (items.length === 0) return 'no faults';
  const rows = items.map(({ metadata, spec, status }) => [
    metadata.name,
    spec.type,
    status?.target ?? '',
    status?.state ?? '',
    status?.beganAt ?? '',
    [status?.message ?? '', spec.duration === undefined ? '' : `for ${spec.duration}`].join(' ').trim(),
  ]);
  return printTable(['NAME', 'WHAT', 'TARGET', 'STATE', 'BEGAN', 'NOTE'], rows);
}

const shown = ({ metadata, spec, status }: FaultObject): object => ({ name: metadata.name, ...spec, ...status });

/** All of them unless some are named. */
export function clearFaults(place: ClusterPlace, names: readonly string[]): Promise<string> {
  return withFaults(place, async (cluster) => {
    const { items } = await cluster.list(Faults);
    const known = items.map(({ metadata }) => metadata.name);
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new CommandError(
        known.length === 0 ? `no fault ${unknown}: there is none` : `no fault ${unknown}${nearest(unknown, known)}`,
        EXIT.findings,
      );
    const wanted = names.length === 0 ? known : [...new Set(names)];
    for (const name of wanted) await remove(cluster, name);
    return wanted.length === 0 ? 'no faults\n' : `${wanted.map((name) => `cleared ${name}`).join('\n')}\n`;
  });
}

async function remove(cluster: Cluster, name: string): Promise<void> {
  try {
    await cluster.delete(Faults, name);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) throw error;
  }
}

async function withFaults<T>(place: ClusterPlace, use: (cluster: Cluster) => Promise<T>): Promise<T> {
  return withCluster(place, async (cluster) => {
    try {
      return await use(cluster);
    } catch (error) {
      if (isApiError(error, 'NotFound'))
        throw new CommandError('this cluster knows no faults: mooring up starts one that does', EXIT.findings);
      throw error;
    }
  });
}
