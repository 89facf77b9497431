import { expect, it } from 'vitest';
import { type ContainerStatus, type Pod } from '../kube/resources/pod.ts';
import { aPod } from './makers.ts';
import { isPodTerminated } from './pod-termination.ts';

const withContainer = (pod: Pod, state: ContainerStatus['state']): Pod => {
  const status = { name: 'main', state, lastState: {}, ready: false, restartCount: 0, image: '', imageID: '' };
  return { ...pod, status: { ...pod.status, containerStatuses: [status] } };
};
const deleting = aPod({ phase: 'Running', deletingIn: 30 });

it.each([
  ['running -> no', aPod({ phase: 'Running' }), false],
  ['succeeded -> yes', aPod({ phase: 'Succeeded' }), true],
  ['failed -> yes', aPod({ phase: 'Failed' }), true],
  ['deleting, nothing known of containers -> yes', deleting, true],
  ['deleting, container runs -> no', withContainer(deleting, { running: { startedAt: null } }), false],
  ['deleting, container waits -> yes', withContainer(deleting, { waiting: {} }), true],
  ['deleting, container without state -> no', withContainer(deleting, {}), false],
  ['not deleting, container waits -> no', withContainer(aPod(), { waiting: {} }), false],
])('P-VOL-7 isPodTerminated: %s', (_name, pod, terminated) => {
  expect(isPodTerminated(pod)).toBe(terminated);
});
