// The conditions of a node whose kubelet is well. kubernetes:pkg/kubelet/nodestatus/setters.go
import { type InstantMs, timestamp } from '../../base/clock.ts';
import type { NodeCondition } from '../../kube/resources/node.ts';

const HEALTHY: readonly Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>[] = [
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
];

/** A condition that holds as before keeps the time since which it holds. */
export function healthyConditions(before: readonly NodeCondition[], now: InstantMs): readonly NodeCondition[] {
  const lastHeartbeatTime = timestamp(now);
  return HEALTHY.map((condition) => {
    const known = before.find(({ type }) => type === condition.type);
    const isSame = known?.status === condition.status;
    return {
      ...condition,
      lastHeartbeatTime,
      lastTransitionTime: isSame ? known.lastTransitionTime : lastHeartbeatTime,
    };
  });
}
