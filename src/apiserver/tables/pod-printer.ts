// The table of pods. Its Status column is what most people know of a pod: the phase, unless something more telling is known.
// kubernetes:pkg/printers/internalversion/printers.go, printPod
import type { InstantMs } from '../../base/clock.ts';
import type { ContainerStatus, Pod } from '../../kube/resources/pod.ts';
import { ageOf } from './age.ts';
import { orNone } from './cell-text.ts';
import { AGE, NAME, type Printer, type RowCondition, text, wideText } from './printer.ts';

/** What a pass over some containers found out. */
interface Tally {
  readonly reason: string;
  readonly ready: number;
  readonly restarts: number;
  /** When a container that was restarted had ended; the empty text where none was. */
  readonly restartedAt: string;
}

/** Pods that have ended say so of their whole row. */
const ENDED: Readonly<Record<string, RowCondition>> = {
  Succeeded: completed('Succeeded', 'The pod has completed successfully.'),
  Failed: completed('Failed', 'The pod failed.'),
};

function completed(reason: string, message: string): RowCondition {
  return { type: 'Completed', status: 'True', reason, message };
}

export const podPrinter: Printer<Pod> = {
  columns: [
    NAME,
    text('Ready'),
    text('Status'),
    text('Restarts'),
    AGE,
    ...['IP', 'Node', 'Nominated Node', 'Readiness Gates'].map(wideText),
  ],
  cells: (pod, now) => {
    const { metadata, spec, status } = pod;
    const restartable = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always').length ?? 0;
    const { reason, ready, restarts, restartedAt } = tallyOf(pod);
    return [
      metadata.name,
      `${ready}/${(spec.containers ?? []).length + restartable}`,
      withDeletion(pod, reason),
      restartsText(restarts, restartedAt, now),
      ageOf(metadata.creationTimestamp, now),
      orNone(status.podIPs?.[0]?.ip),
      orNone(spec.nodeName),
      orNone(status.nominatedNodeName),
      readinessGates(pod),
    ];
  },
  conditions: ({ status }) => {
    const ended = ENDED[status.phase ?? ''];
    return ended === undefined ? [] : [ended];
  },
};

function tallyOf(pod: Pod): Tally {
  const { status } = pod;
  const init = initTally(pod, phaseReason(pod));
  const isInitialized = status.conditions?.find(({ type }) => type === 'Initialized')?.status === 'True';
  if (init.isInitializing && !isInitialized) return init.all;
  return containersTally(pod, { ...init.ofRestartable, reason: init.all.reason, ready: init.all.ready });
}

function phaseReason({ status }: Pod): string {
  const isGated = status.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );
  if (isGated === true) return 'SchedulingGated';
  return status.reason || (status.phase ?? '');
}

interface InitTally {
  readonly all: Tally;
  /** Of containers that run beside the main ones; only their restarts count once all is up. */
  readonly ofRestartable: Pick<Tally, 'restarts' | 'restartedAt'>;
  readonly isInitializing: boolean;
}

/** Up to the first init container that is neither done nor, being restartable, up. */
function initTally({ spec, status }: Pod, phase: string): InitTally {
  const containers = spec.initContainers ?? [];
  let all: Tally = { reason: phase, ready: 0, restarts: 0, restartedAt: '' };
  let ofRestartable: InitTally['ofRestartable'] = { restarts: 0, restartedAt: '' };
  for (const [index, container] of (status.initContainerStatuses ?? []).entries()) {
    const isRestartable = containers.find(({ name }) => name === container.name)?.restartPolicy === 'Always';
    all = { ...all, ...withRestarts(all, container) };
    if (isRestartable) ofRestartable = withRestarts(ofRestartable, container);
    const isUp = isRestartable && container.started === true;
    if (isUp && container.state?.terminated?.exitCode !== 0)
      all = { ...all, ready: all.ready + (container.ready ? 1 : 0) };
    else if (container.state?.terminated?.exitCode !== 0) {
      const reason = initReason(container, `Init:${index}/${containers.length}`);
      return { all: { ...all, reason }, ofRestartable, isInitializing: true };
    }
  }
  return { all, ofRestartable, isInitializing: false };
}

function initReason({ state }: ContainerStatus, progress: string): string {
  const { terminated, waiting } = state ?? {};
  if (terminated !== undefined) return `Init:${endedReason(terminated)}`;
  const why = waiting?.reason ?? '';
  return why === '' || why === 'PodInitializing' ? progress : `Init:${why}`;
}

type Ended = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

function endedReason({ reason = '', signal = 0, exitCode }: Ended): string {
  if (reason !== '') return reason;
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`;
}

/** From the last container to the first, so that the first one that has something to say is heard. */
function containersTally({ status }: Pod, before: Tally): Tally {
  let tally = before;
  let isAnyRunning = false;
  let errorReason = '';
  for (const container of (status.containerStatuses ?? []).toReversed()) {
    const { waiting, terminated, running } = container.state ?? {};
    tally = { ...tally, ...withRestarts(tally, container) };
    if ((waiting?.reason ?? '') !== '') tally = { ...tally, reason: waiting?.reason ?? '' };
    else if (terminated !== undefined) {
      tally = { ...tally, reason: endedReason(terminated) };
      if (terminated.exitCode !== 0) errorReason = tally.reason;
    } else if (container.ready && running !== undefined) {
      isAnyRunning = true;
      tally = { ...tally, ready: tally.ready + 1 };
    }
  }
  if (tally.reason !== 'Completed') return tally;
  const isReady = status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true;
  if (isAnyRunning && isReady) return { ...tally, reason: 'Running' };
  if (errorReason !== '') return { ...tally, reason: errorReason };
  return isAnyRunning ? { ...tally, reason: 'NotReady' } : tally;
}

function withRestarts(
  { restarts, restartedAt }: Pick<Tally, 'restarts' | 'restartedAt'>,
  { restartCount, lastState }: ContainerStatus,
): Pick<Tally, 'restarts' | 'restartedAt'> {
  const endedAt = lastState?.terminated?.finishedAt ?? '';
  return { restarts: restarts + restartCount, restartedAt: endedAt > restartedAt ? endedAt : restartedAt };
}

function withDeletion({ metadata, status }: Pod, reason: string): string {
  if (metadata.deletionTimestamp === undefined) return reason;
  if (status.reason === 'NodeLost') return 'Unknown';
  return status.phase === 'Succeeded' || status.phase === 'Failed' ? reason : 'Terminating';
}

const restartsText = (restarts: number, restartedAt: string, now: InstantMs): string =>
  restarts === 0 || restartedAt === '' ? String(restarts) : `${restarts} (${ageOf(restartedAt, now)} ago)`;

function readinessGates({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const isTrue = (type: string): boolean => status.conditions?.find((each) => each.type === type)?.status === 'True';
  return `${gates.filter(({ conditionType }) => isTrue(conditionType)).length}/${gates.length}`;
}
