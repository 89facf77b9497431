// What a kubelet says of a pod, from the pod, its containers and what it said before. Pure.
// kubernetes:pkg/kubelet/kubelet_pods.go generateAPIPodStatus, getPhase; kubernetes:pkg/kubelet/status/generate.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import type { Container } from '../../kube/resources/container.ts';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../../kube/resources/pod.ts';
import type { RuntimeContainer, RuntimePod } from './container-runtime.ts';

export interface StatusFacts {
  readonly pod: Pod;
  readonly runtimePod: RuntimePod | undefined;
  /** What the kubelet said last, or the object's own status. */
  readonly before: PodStatus;
  /** All containers have ended for good. */
  readonly isTerminal: boolean;
  readonly now: InstantMs;
  readonly hostIP: string | undefined;
}

type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** Conditions that the kubelet owns; all others it leaves as they are. */
const OWN_CONDITIONS: readonly string[] = [
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
];
export const isOwnCondition = (type: string): boolean => OWN_CONDITIONS.includes(type);

export const isTerminalPhase = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

export function generatePodStatus(facts: StatusFacts): PodStatus {
  const { pod, runtimePod, before, now, hostIP } = facts;
  const containerStatuses = pod.spec.containers.map((each) => containerStatus(each, runtimePod, before, pod));
  const initContainerStatuses = pod.spec.initContainers?.map((each) => initStatus(each, runtimePod, now));
  const phase = phaseOf(facts, containerStatuses);
  const podIP = runtimePod?.podIP ?? '';
  const { reason, message } = phase === before.phase ? before : {};
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: conditionsOf(facts, phase, containerStatuses),
    ...(message === undefined ? {} : { message }),
    ...(reason === undefined ? {} : { reason }),
    ...(hostIP === undefined ? {} : { hostIP, hostIPs: [{ ip: hostIP }] }),
    ...(podIP === '' ? {} : { podIP, podIPs: [{ ip: podIP }] }),
    startTime: before.startTime ?? timestamp(now),
    ...(initContainerStatuses === undefined ? {} : { initContainerStatuses }),
    containerStatuses,
    ...(pod.status.qosClass === undefined ? {} : { qosClass: pod.status.qosClass }),
  };
}

/** A terminal phase, once said, stays. */
function phaseOf({ pod, before, isTerminal }: StatusFacts, containers: readonly ContainerStatus[]): Phase {
  const phase = phaseOfContainers(pod, containers, isTerminal);
  if (isTerminalPhase(phase))
    return pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed' ? pod.status.phase : phase;
  if (before.phase === 'Failed' || before.phase === 'Succeeded') return before.phase;
  return pod.status.phase === 'Failed' || pod.status.phase === 'Succeeded' ? pod.status.phase : phase;
}

export function phaseOfContainers(pod: Pod, containers: readonly ContainerStatus[], isTerminal: boolean): Phase {
  const running = containers.filter(({ state }) => state.running !== undefined).length;
  const ended = containers.flatMap(({ state }) => (state.terminated === undefined ? [] : [state.terminated]));
  const waiting = containers.length - running - ended.length;
  if (waiting > 0) return running + ended.length > 0 ? 'Running' : 'Pending';
  if (running > 0) return 'Running';
  const succeeded = ended.every(({ exitCode }) => exitCode === 0);
  if (isTerminal) return succeeded ? 'Succeeded' : 'Failed';
  const { restartPolicy = 'Always' } = pod.spec;
  if (restartPolicy === 'Always') return 'Running';
  if (succeeded) return 'Succeeded';
  return restartPolicy === 'Never' ? 'Failed' : 'Running';
}

function containerStatus(
  { name, image = '', volumeMounts }: Container,
  runtimePod: RuntimePod | undefined,
  before: PodStatus,
  pod: Pod,
): ContainerStatus {
  const container = runtimePod?.containers.find((each) => each.name === name);
  const known = before.containerStatuses?.find((each) => each.name === name);
  if (container === undefined) {
    const reason = pod.spec.initContainers === undefined ? 'ContainerCreating' : 'PodInitializing';
    const state = known?.state.terminated === undefined ? { waiting: { reason } } : known.state;
    return { name, state, lastState: {}, ready: false, restartCount: 0, image, imageID: '', started: false };
  }
  const isRunning = container.exit === undefined;
  return {
    name,
    state: stateOf(container),
    lastState: lastStateOf(container, known),
    ready: isRunning,
    restartCount: container.restartCount,
    image: container.image,
    imageID: '',
    containerID: container.id,
    started: isRunning,
    ...(volumeMounts === undefined ? {} : { volumeMounts: volumeMounts.map(mountStatus) }),
  };
}

function mountStatus({
  name,
  mountPath,
  readOnly,
}: {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}) {
  return readOnly === true ? { name, mountPath, readOnly, recursiveReadOnly: 'Disabled' } : { name, mountPath };
}

function stateOf({ startedAt, exit, id }: RuntimeContainer): ContainerStatus['state'] {
  if (exit === undefined) return { running: { startedAt: timestamp(startedAt) } };
  return {
    terminated: {
      exitCode: exit.code,
      reason: exit.code === 0 ? 'Completed' : 'Error',
      startedAt: timestamp(startedAt),
      finishedAt: timestamp(exit.at),
      containerID: id,
    },
  };
}

function lastStateOf({ id }: RuntimeContainer, known: ContainerStatus | undefined): ContainerStatus['lastState'] {
  if (known === undefined || known.containerID === id) return known?.lastState ?? {};
  return known.state.terminated === undefined ? known.lastState : { terminated: known.state.terminated };
}

/** Init containers take no time: they have succeeded once the pod has a sandbox. */
function initStatus(
  { name, image = '' }: Container,
  runtimePod: RuntimePod | undefined,
  now: InstantMs,
): ContainerStatus {
  const at = timestamp(runtimePod?.containers[0]?.startedAt ?? now);
  const done = { terminated: { exitCode: 0, reason: 'Completed', startedAt: at, finishedAt: at } };
  const isDone = runtimePod !== undefined;
  const state = isDone ? done : { waiting: { reason: 'PodInitializing' } };
  return { name, state, lastState: {}, ready: isDone, restartCount: 0, image, imageID: '', started: false };
}

function conditionsOf(
  facts: StatusFacts,
  phase: Phase,
  containers: readonly ContainerStatus[],
): readonly PodCondition[] {
  const { pod, runtimePod } = facts;
  const unready = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const ready = readiness(phase, unready);
  const stated: readonly (readonly [string, Stated])[] = [
    ['PodReadyToStartContainers', { status: (runtimePod?.podIP ?? '') === '' ? 'False' : 'True' }],
    ['Initialized', initialized(pod, phase, runtimePod)],
    ['Ready', ready],
    ['ContainersReady', ready],
    ['PodScheduled', { status: 'True' }],
  ];
  const foreign = (pod.status.conditions ?? []).filter(({ type }) => !isOwnCondition(type));
  return [...foreign, ...stated.map(([type, each]) => condition(facts, type, each))];
}

interface Stated {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

function readiness(phase: Phase, unready: readonly string[]): Stated {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  if (unready.length === 0) return { status: 'True' };
  const message = `containers with unready status: [${unready.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function initialized(pod: Pod, phase: Phase, runtimePod: RuntimePod | undefined): Stated {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  const names = pod.spec.initContainers?.map(({ name }) => name) ?? [];
  if (names.length === 0 || runtimePod !== undefined) return { status: 'True' };
  const message = `containers with incomplete status: [${names.join(' ')}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function condition({ pod, before, now }: StatusFacts, type: string, stated: Stated): PodCondition {
  const known = before.conditions?.find((each) => each.type === type);
  const isSame = known?.status === stated.status;
  return {
    type,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    lastProbeTime: null,
    lastTransitionTime: isSame ? known.lastTransitionTime : timestamp(now),
    ...stated,
  };
}

const NEVER_FOUND = {
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
  exitCode: 137,
  startedAt: null,
  finishedAt: null,
};

/** The last word about a pod: every container has ended, and what never ran has failed. */
export function terminatedPodStatus(status: PodStatus): PodStatus {
  const containerStatuses = status.containerStatuses?.map((each) =>
    each.state.terminated === undefined ? { ...each, state: { terminated: NEVER_FOUND } } : each,
  );
  const phase = isTerminalPhase(status.phase) ? status.phase : 'Failed';
  return {
    ...status,
    ...(phase === undefined ? {} : { phase }),
    ...(containerStatuses === undefined ? {} : { containerStatuses }),
  };
}

/**
 * The status to write over the one that is there: foreign conditions stay, and a phase is not called terminal while a
 * container may run. kubernetes:pkg/kubelet/status/status_manager.go mergePodStatus
 */
export function mergedPodStatus(there: PodStatus, own: PodStatus, couldHaveRunningContainers: boolean): PodStatus {
  const foreign = (there.conditions ?? []).filter(({ type }) => !isOwnCondition(type));
  const conditions = [...foreign, ...(own.conditions ?? []).filter(({ type }) => isOwnCondition(type))];
  const isEnding = !isTerminalPhase(there.phase) && isTerminalPhase(own.phase);
  const merged = { ...own, ...(conditions.length === 0 ? {} : { conditions }) };
  if (isEnding && couldHaveRunningContainers) {
    const { phase: _phase, reason: _reason, message: _message, ...rest } = merged;
    const { phase, reason, message } = there;
    return {
      ...rest,
      ...(phase === undefined ? {} : { phase }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
    };
  }
  return merged;
}
