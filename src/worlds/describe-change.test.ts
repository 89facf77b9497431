import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../kube/object.ts';
import { describeChange } from './describe-change.ts';

type Parts = Readonly<Record<string, unknown>> & { readonly metadata?: object };
function object(kind: string, { metadata = {}, ...rest }: Parts = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { name: 'o', uid: 'u', resourceVersion: '1', creationTimestamp: '', ...metadata },
    ...rest,
  };
}
const claim = (parts: Parts): KubeObject =>
  object('PersistentVolumeClaim', { spec: { resources: {} }, status: {}, ...parts });
const volume = (parts: Parts): KubeObject => object('PersistentVolume', { spec: {}, status: {}, ...parts });

describe('a change in words', () => {
  const rows: readonly [string, KubeObject | undefined, KubeObject | undefined, string][] = [
    [
      'a new claim',
      undefined,
      claim({
        spec: { accessModes: ['ReadWriteOnce'], storageClassName: '', resources: { requests: { storage: '1Gi' } } },
      }),
      'creates 1Gi, RWO, class ""',
    ],
    [
      'a new pod',
      undefined,
      object('Pod', { spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'data' } }] } }),
      'creates uses claim data',
    ],
    ['a removal', claim({}), undefined, 'removes '],
    [
      'a deletion that is held',
      claim({}),
      claim({ metadata: { deletionTimestamp: 't', finalizers: ['a/b'] } }),
      'deletes terminating, held by a/b',
    ],
    [
      'a phase',
      claim({ status: { phase: 'Pending' } }),
      claim({ status: { phase: 'Bound' } }),
      'updates phase Pending → Bound',
    ],
    ['a field set', claim({}), claim({ spec: { resources: {}, volumeName: 'v' } }), 'updates volumeName v'],
    ['a field cleared', claim({ spec: { resources: {}, volumeName: 'v' } }), claim({}), 'updates volumeName cleared'],
    [
      'an annotation',
      claim({}),
      claim({ metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } }),
      'updates annotation bind-completed yes',
    ],
    [
      'finalizers',
      claim({ metadata: { finalizers: ['a', 'b'] } }),
      claim({ metadata: { finalizers: ['b', 'c'] } }),
      'updates finalizers +c -a',
    ],
    [
      'a reference',
      volume({}),
      volume({ spec: { claimRef: { namespace: 'n', name: 'c', uid: 'x' } } }),
      'updates claimRef n/c',
    ],
    [
      'a reference that gets its uid',
      volume({ spec: { claimRef: { name: 'c' } } }),
      volume({ spec: { claimRef: { name: 'c', uid: 'x' } } }),
      'updates claimRef uid x',
    ],
    ['a reference that goes', volume({ spec: { claimRef: { name: 'c' } } }), volume({}), 'updates claimRef cleared'],
    [
      'a condition',
      object('Pod', { status: {} }),
      object('Pod', { status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: 't' }] } }),
      'updates conditions +Ready=True',
    ],
    [
      'only times and versions',
      claim({ metadata: { resourceVersion: '1' } }),
      claim({ metadata: { resourceVersion: '2' }, status: { lastHeartbeatTime: 'x' } }),
      'updates ',
    ],
  ];
  test.each(rows)('%s', (_, before, after, expected) => {
    const { verb, detail } = describeChange(before, after);
    expect(`${verb} ${detail}`).toBe(expected);
  });

  test('more fields than a line holds -> the first ones and a count', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, 'x']));
    expect(describeChange(claim({ spec: {} }), claim({ spec: many })).detail).toMatch(/f5 x and 3 more$/);
  });
});
