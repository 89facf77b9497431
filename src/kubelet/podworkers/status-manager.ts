// Writes what the kubelet says of its pods, one pod at a time, and takes the object of a pod away once everything of it is
// gone from the node. What could not be written is written again at the next ten seconds, and so is what somebody else
// wrote over. kubernetes:pkg/kubelet/status/status_manager.go
import { SECOND_MS } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { foundObject } from '../../kube/found-object.ts';
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { type Pod, Pods, type PodStatus } from '../../kube/resources/pod.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { supervise } from '../../runtime/supervise.ts';
import { GridLoop } from '../../runtime/tickless-loop.ts';
import { isOwnCondition, isTerminalPhase, mergedPodStatus, terminatedPodStatus } from './pod-status.ts';
import { isSameJson } from './same-json.ts';

/** kubernetes:pkg/kubelet/status/status_manager.go syncPeriod */
const SYNC_PERIOD_MS = 10 * SECOND_MS;

export interface StatusManagerOptions {
  readonly context: ComponentContext;
  podByUid(uid: string): Pod | undefined;
  couldHaveRunningContainers(uid: string): boolean;
}

interface Said {
  readonly pod: Pod;
  readonly status: PodStatus;
  /** Nothing of the pod is left on the node. */
  readonly finished: boolean;
  readonly version: number;
  readonly reason: Reason;
}

export class StatusManager {
  readonly #options: StatusManagerOptions;
  readonly #said = new Map<string, Said>();
  /** By uid: the version that the server has. */
  readonly #written = new Map<string, number>();
  readonly #loop: GridLoop;
  /** Writes that the server did not take. */
  readonly #failed = new Set<string>();
  #writing = false;

  constructor(options: StatusManagerOptions) {
    this.#options = options;
    const { clock, cluster, log, signal } = options.context;
    this.#loop = new GridLoop({
      name: 'pod statuses',
      clock,
      cluster,
      log,
      signal,
      periodMs: SYNC_PERIOD_MS,
      phaseMs: SYNC_PERIOD_MS,
      pass: () => this.#repair(),
    });
  }

  start(): void {
    this.#loop.start();
  }

  statusOf(uid: string): PodStatus | undefined {
    return this.#said.get(uid)?.status;
  }

  setPodStatus(pod: Pod, status: PodStatus, reason: Reason): void {
    const { uid } = pod.metadata;
    const known = this.#said.get(uid);
    const isNews =
      known === undefined || pod.metadata.deletionTimestamp !== undefined || !isSameJson(known.status, status);
    if (isNews) this.#say(pod, status, known?.finished ?? false, reason);
  }

  /** Nothing more will be said: the object may go if it is to be deleted. */
  terminatePod(pod: Pod, reason: Reason): void {
    const status = this.#said.get(pod.metadata.uid)?.status ?? pod.status;
    this.#say(pod, terminatedPodStatus(status), true, reason);
  }

  #say(pod: Pod, told: PodStatus, finished: boolean, reason: Reason): void {
    const { uid } = pod.metadata;
    const startTime = this.#said.get(uid)?.status.startTime ?? pod.status.startTime ?? told.startTime;
    const status = { ...told, ...(startTime === undefined ? {} : { startTime }) };
    this.#said.set(uid, { pod, status, finished, version: (this.#said.get(uid)?.version ?? 0) + 1, reason });
    this.#writeAll();
  }

  /** The object was changed: if it no longer says what we said, we will say it again. */
  observe(pod: Pod, reason: Reason): void {
    const said = this.#said.get(pod.metadata.uid);
    if (said === undefined) return;
    if (this.#needsRepair(pod, said)) this.#loop.mark(reason);
  }

  /** Pods that are gone everywhere. */
  forget(uid: string): void {
    this.#said.delete(uid);
    this.#written.delete(uid);
    this.#failed.delete(uid);
  }

  knownPods(): Iterable<string> {
    return this.#said.keys();
  }

  #repair(): void {
    for (const [uid, said] of this.#said) {
      const pod = this.#options.podByUid(uid);
      const isWrong = pod !== undefined && this.#needsRepair(pod, said);
      if (isWrong || this.#failed.has(uid)) this.#written.delete(uid);
    }
    this.#failed.clear();
    this.#writeAll();
  }

  #needsRepair(pod: Pod, said: Said): boolean {
    if (this.#written.get(pod.metadata.uid) !== said.version) return false;
    const merged = mergedPodStatus(pod.status, said.status, this.#options.couldHaveRunningContainers(pod.metadata.uid));
    return !isSameStatus(pod.status, merged) || canBeDeleted(pod, said);
  }

  #writeAll(): void {
    if (this.#writing) return;
    this.#writing = true;
    supervise('pod statuses', this.#drain(), this.#options.context.log);
  }

  /** Starts once the caller has gone on: what it does right after is part of what is said. */
  async #drain(): Promise<void> {
    await Promise.resolve();
    try {
      for (let next = this.#unwritten(); next !== undefined; next = this.#unwritten()) await this.#write(...next);
    } finally {
      this.#writing = false;
    }
  }

  #unwritten(): readonly [string, Said] | undefined {
    for (const entry of this.#said) if ((this.#written.get(entry[0]) ?? 0) < entry[1].version) return entry;
    return undefined;
  }

  async #write(uid: string, said: Said): Promise<void> {
    const { context } = this.#options;
    // Not again at once, whatever comes of it; a later version is a later write.
    this.#written.set(uid, said.version);
    try {
      await this.#writeStatus(context.cluster.because(said.reason), uid, said);
    } catch (error) {
      if (!isApiError(error)) throw error;
      context.log.write('warn', `status of pod ${keyOf(said.pod)}: ${error.message}`, { error });
      this.#failed.add(uid);
      this.#loop.mark(said.reason);
    }
  }

  async #writeStatus(cluster: Cluster, uid: string, said: Said): Promise<void> {
    const key = keyOf(said.pod);
    const there = await foundObject(cluster, Pods, key);
    if (there === undefined) return;
    if (there.metadata.uid !== uid) return this.forget(uid);
    const merged = mergedPodStatus(there.status, said.status, this.#options.couldHaveRunningContainers(uid));
    const pod = isSameStatus(there.status, merged) ? there : await patchStatus(cluster, there, merged);
    if (!canBeDeleted(pod, said)) return;
    await cluster.delete(Pods, key, { gracePeriodSeconds: 0, preconditions: { uid } });
    this.forget(uid);
  }
}

/** Written by others; the kubelet leaves them as they are. */
const FOREIGN_FIELDS: readonly string[] = [
  'resourceClaimStatuses',
  'extendedResourceClaimStatus',
  'nodeAllocatableResourceClaimStatuses',
  'nominatedNodeName',
];

/** Of a condition that has none. */
const CLEARED = { reason: null, message: null };

/** What is gone must be named to go, conditions one by one. */
function patchStatus(cluster: Cluster, there: Pod, merged: PodStatus): Promise<Pod> {
  const gone = Object.keys(there.status).filter((field) => !(field in merged) && !FOREIGN_FIELDS.includes(field));
  const types = new Set(merged.conditions?.map(({ type }) => type));
  const removed = (there.status.conditions ?? []).filter(({ type }) => !types.has(type) && isOwnCondition(type));
  const conditions = [
    ...(merged.conditions ?? []).filter(({ type }) => isOwnCondition(type)).map((each) => ({ ...CLEARED, ...each })),
    ...removed.map(({ type }) => ({ type, $patch: 'delete' })),
  ];
  const status = { ...Object.fromEntries(gone.map((field) => [field, null])), ...merged, conditions };
  const body = { metadata: { uid: there.metadata.uid }, status };
  return cluster.patch(Pods, keyOf(there), { type: 'strategic', body }, { subresource: 'status' });
}

/** Of what the kubelet writes; the order of conditions says nothing. */
function isSameStatus(there: PodStatus, merged: PodStatus): boolean {
  const written = ({ conditions = [], ...rest }: PodStatus): object => ({
    ...Object.fromEntries(Object.entries(rest).filter(([field]) => !FOREIGN_FIELDS.includes(field))),
    conditions: conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1)),
  });
  return isSameJson(written(there), written(merged));
}

function canBeDeleted(pod: Pod, { finished }: Said): boolean {
  return finished && pod.metadata.deletionTimestamp !== undefined && isTerminalPhase(pod.status.phase);
}
