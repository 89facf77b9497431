import { isOf, keyOf } from '../../kube/object.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { MakeChecker } from './checker.ts';
import { isUser } from './people.ts';

/** kubernetes:pkg/controller/podgc/gc_controller.go */
const POD_GC = 'pod-garbage-collector-controller';

/**
 * A pod that runs on a node leaves the API by its kubelet, by pod garbage collection or by a person. Nothing else may
 * conclude that its containers are gone, so a StatefulSet on a dead node does not recover by itself.
 */
export const podRemoval: MakeChecker = (scene, tell) => ({
  name: 'pod-removal',
  observe(fact) {
    if (fact.type !== 'write' || fact.after !== undefined || fact.before === undefined) return;
    const { before, actor } = fact;
    if (!isOf(Pods, before) || !mayRun(before) || isUser(actor) || actor === POD_GC) return;
    if (scene.nodeOf(actor) === before.spec.nodeName) return;
    tell({
      severity: 'violation',
      about: `pod/${keyOf(before)}`,
      says: `${actor} removed it from the API while it may run on ${before.spec.nodeName ?? ''}`,
    });
  },
});

/** The API removes at once what never got a node, has ended, or has no time to end. */
function mayRun({ spec, status }: Pod): boolean {
  const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
  return (spec.nodeName ?? '') !== '' && !isOver && spec.terminationGracePeriodSeconds !== 0;
}
