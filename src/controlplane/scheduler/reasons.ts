// Event reasons and actions. kubernetes:pkg/scheduler/schedule_one.go, pkg/scheduler/framework/preemption/executor.go
import type { SeriesEvent } from '../../runtime/recorder.ts';
import { keyOf } from '../../kube/object.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { noteOf } from './fit-message.ts';

export const failedScheduling = (message: string): SeriesEvent => ({
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Scheduling',
  note: noteOf(message),
});

export const scheduled = (pod: Pod, node: string): SeriesEvent => ({
  type: 'Normal',
  reason: 'Scheduled',
  action: 'Binding',
  note: `Successfully assigned ${keyOf(pod)} to ${node}`,
});

export const preempted = (preemptor: Pod, node: string): SeriesEvent => ({
  type: 'Normal',
  reason: 'Preempted',
  action: 'Preempting',
  note: `Preempted by pod ${preemptor.metadata.uid} on node ${node}`,
  related: preemptor,
});
