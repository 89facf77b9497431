import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodStatus } from '../../kube/resources/pod.ts';
import { generatePodStatus, mergedPodStatus, phaseOfContainers, terminatedPodStatus } from './pod-status.ts';

const NOW = Date.UTC(2026, 0, 1);

function pod(restartPolicy: string | undefined, status: PodStatus = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    spec: {
      containers: [{ name: 'c', image: 'i', resources: {} }],
      ...(restartPolicy === undefined ? {} : { restartPolicy }),
    },
    status,
  };
}

const container = (state: ContainerStatus['state']): ContainerStatus => ({
  name: 'c',
  state,
  lastState: {},
  ready: false,
  restartCount: 0,
  image: 'i',
  imageID: '',
});
const RUNNING = container({ running: { startedAt: '2026-01-01T00:00:00Z' } });
const WAITING = container({ waiting: { reason: 'ContainerCreating' } });
const ended = (exitCode: number): ContainerStatus =>
  container({ terminated: { exitCode, startedAt: null, finishedAt: null } });

describe('the phase of a pod', () => {
  it.each([
    ['nothing started', 'Always', [WAITING], false, 'Pending'],
    ['one of two started', 'Always', [RUNNING, WAITING], false, 'Running'],
    ['all running', 'Always', [RUNNING], false, 'Running'],
    ['one ended, one running', 'Never', [ended(1), RUNNING], false, 'Running'],
    ['ended, to be started again', 'Always', [ended(0)], false, 'Running'],
    ['ended well', 'Never', [ended(0)], false, 'Succeeded'],
    ['ended badly', 'Never', [ended(1)], false, 'Failed'],
    ['ended badly, to be started again', 'OnFailure', [ended(1)], false, 'Running'],
    ['ended well', 'OnFailure', [ended(0)], false, 'Succeeded'],
    ['stopped for good, well', 'Always', [ended(0)], true, 'Succeeded'],
    ['stopped for good, by force', 'Always', [ended(137)], true, 'Failed'],
  ])('P-KL-7 %s, restartPolicy %s -> phase', (_situation, policy, containers, isTerminal, expected) => {
    expect(phaseOfContainers(pod(policy), containers, isTerminal)).toBe(expected);
  });

  it('P-KL-7 a phase that was final -> stays', () => {
    const facts = { runtimePod: undefined, isTerminal: false, now: NOW, hostIP: undefined };
    const before: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'full' };
    const status = generatePodStatus({ ...facts, pod: pod('Always', before), before });
    expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: 'full' });
  });
});

describe('the status of a pod that has no containers yet', () => {
  it('P-KL-4 volumes are being waited for -> ContainerCreating, not ready', () => {
    const given = pod(undefined);
    const facts = { pod: given, before: {}, runtimePod: undefined, isTerminal: false, now: NOW, hostIP: '10.0.0.1' };
    const status = generatePodStatus(facts);
    expect(status).toMatchObject({
      phase: 'Pending',
      hostIP: '10.0.0.1',
      startTime: '2026-01-01T00:00:00Z',
      containerStatuses: [{ name: 'c', ready: false, state: { waiting: { reason: 'ContainerCreating' } } }],
    });
    expect(status.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'PodReadyToStartContainers=False',
      'Initialized=True',
      'Ready=False',
      'ContainersReady=False',
      'PodScheduled=True',
    ]);
  });
});

describe('what is written over a pod', () => {
  const own: PodStatus = { phase: 'Succeeded', conditions: [] };

  it('P-KL-7 a container may still run -> the phase is not final yet', () => {
    expect(mergedPodStatus({ phase: 'Running' }, own, true).phase).toBe('Running');
    expect(mergedPodStatus({ phase: 'Running' }, own, false).phase).toBe('Succeeded');
  });

  it("P-KL-7 somebody else's condition -> stays", () => {
    const foreign = { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, lastTransitionTime: null };
    const merged = mergedPodStatus({ conditions: [foreign] }, { phase: 'Running' }, true);
    expect(merged.conditions).toEqual([foreign]);
  });

  it('P-KL-7 the last word, a container never seen -> failed with its own reason', () => {
    const status = terminatedPodStatus({ phase: 'Pending', containerStatuses: [WAITING] });
    expect(status.phase).toBe('Failed');
    expect(status.containerStatuses?.[0]?.state.terminated).toMatchObject({
      reason: 'ContainerStatusUnknown',
      exitCode: 137,
    });
  });
});
