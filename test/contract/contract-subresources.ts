import { describe, expect, it } from 'vitest';
import { type Resource } from '../../src/kube/object.ts';
import { PodDisruptionBudgets } from '../../src/kube/resources/pod-disruption-budget.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import type { Scale } from '../../src/kube/resources/scale.ts';
import { StatefulSets } from '../../src/kube/resources/stateful-set.ts';
import { type ContractSubject, type Using, inNamespace, pod, refused } from './contract-subject.ts';

const StatefulSetScales: Resource<Scale> = {
  group: 'apps',
  version: 'v1',
  plural: 'statefulsets',
  subresource: 'scale',
  kind: 'Scale',
  namespaced: true,
};

const bindingTo = (name: string, node: string): object => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target: { kind: 'Node', name: node },
});
const evictionOf = (name: string): object => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });

async function runningPod(subject: ContractSubject, name: string): Promise<void> {
  await subject.cluster.create(Pods, pod(subject, name, { nodeName: 'nobody-runs-here' }));
  const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  await subject.cluster.patch(Pods, inNamespace(subject, name), { type: 'merge', body }, { subresource: 'status' });
}

async function budget(subject: ContractSubject, name: string, disruptionsAllowed: number): Promise<void> {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: name } } };
  await subject.cluster.create(PodDisruptionBudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: subject.namespace },
    spec,
  });
  const status = {
    observedGeneration: 1,
    currentHealthy: 1 + disruptionsAllowed,
    desiredHealthy: 1,
    expectedPods: 2,
    disruptionsAllowed,
  };
  await subject.cluster.patch(
    PodDisruptionBudgets,
    inNamespace(subject, name),
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
}

export function subresourcesContract(using: Using): void {
  describe('subresources', () => {
    it(
      'binding -> node and condition, once',
      using(async (subject) => {
        const key = inNamespace(subject, 'p');
        await subject.cluster.create(Pods, pod(subject, 'p'));
        expect(await subject.cluster.post(Pods, key, 'binding', bindingTo('p', 'n1'))).toMatchObject({
          kind: 'Status',
          status: 'Success',
        });
        const bound = await subject.cluster.get(Pods, key);
        expect(bound.spec.nodeName).toBe('n1');
        expect(bound.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
        const error = await refused(subject.cluster.post(Pods, key, 'binding', bindingTo('p', 'n2')), 'Conflict');
        expect(error.message).toBe(
          'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
        );
      }),
    );

    it(
      'binding of another pod than the path names -> BadRequest',
      using(async (subject) => {
        await subject.cluster.create(Pods, pod(subject, 'p'));
        await refused(
          subject.cluster.post(Pods, inNamespace(subject, 'p'), 'binding', bindingTo('q', 'n1')),
          'BadRequest',
        );
      }),
    );

    it(
      'eviction of a pod that does not run -> gone',
      using(async (subject) => {
        await subject.cluster.create(Pods, pod(subject, 'p'));
        await subject.cluster.post(Pods, inNamespace(subject, 'p'), 'eviction', evictionOf('p'));
        await refused(subject.cluster.get(Pods, inNamespace(subject, 'p')), 'NotFound');
      }),
    );

    it(
      'eviction against a budget without room -> TooManyRequests, the pod stays',
      using(async (subject) => {
        await runningPod(subject, 'p');
        await budget(subject, 'p', 0);
        const error = await refused(
          subject.cluster.post(Pods, inNamespace(subject, 'p'), 'eviction', evictionOf('p')),
          'TooManyRequests',
        );
        expect(error.details?.causes).toEqual([
          { reason: 'DisruptionBudget', message: 'The disruption budget p needs 1 healthy pods and has 1 currently' },
        ]);
        expect((await subject.cluster.get(Pods, inNamespace(subject, 'p'))).metadata.deletionTimestamp).toBeUndefined();
      }),
    );

    it(
      'eviction within a budget -> the pod is marked and the budget remembers it',
      using(async (subject) => {
        await runningPod(subject, 'p');
        await budget(subject, 'p', 1);
        await subject.cluster.post(Pods, inNamespace(subject, 'p'), 'eviction', evictionOf('p'));
        const evicted = await subject.cluster.get(Pods, inNamespace(subject, 'p'));
        expect(evicted.metadata.deletionGracePeriodSeconds).toBe(30);
        expect(evicted.status.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe(
          'EvictionByEvictionAPI',
        );
        const { status } = await subject.cluster.get(PodDisruptionBudgets, inNamespace(subject, 'p'));
        expect([status.disruptionsAllowed, Object.keys(status.disruptedPods ?? {})]).toEqual([0, ['p']]);
      }),
    );

    it(
      'scale -> reads and writes replicas of the workload',
      using(async (subject) => {
        const labels = { app: 's' };
        const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'busybox:1.36' }] } };
        const spec = { serviceName: 's', replicas: 1, selector: { matchLabels: labels }, template };
        const key = inNamespace(subject, 's');
        const made = await subject.cluster.create(StatefulSets, {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          metadata: { name: 's', namespace: subject.namespace },
          spec,
        });
        const scale = await subject.cluster.get(StatefulSetScales, key);
        expect(scale).toMatchObject({
          metadata: { uid: made.metadata.uid },
          spec: { replicas: 1 },
          status: { replicas: 0, selector: 'app=s' },
        });
        await subject.cluster.update(StatefulSetScales, { ...scale, spec: { replicas: 3 } });
        const scaled = await subject.cluster.get(StatefulSets, key);
        expect([scaled.spec.replicas, scaled.metadata.generation]).toEqual([3, 2]);
        await refused(subject.cluster.update(StatefulSetScales, { ...scale, spec: { replicas: 4 } }), 'Conflict');
        await refused(
          subject.cluster.patch(StatefulSetScales, key, { type: 'merge', body: { spec: { replicas: -1 } } }),
          'Invalid',
        );
      }),
    );
  });
}
