import { describe, expect, it } from 'vitest';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { made, outcome, readerOf, requestOf } from './makers.ts';
import { mergedTolerations } from './merged-tolerations.ts';
import { runtimeClass } from './runtime-class.ts';

const pod = (spec: object = {}) => made(Pods, { spec: { containers: [{ name: 'c', image: 'x' }], ...spec } });
const RuntimeClasses: Resource<KubeObject> = {
  group: 'node.k8s.io',
  version: 'v1',
  plural: 'runtimeclasses',
  kind: 'RuntimeClass',
  namespaced: false,
};
const runtime = (rest: object) => made(RuntimeClasses, { metadata: { name: 'r' }, handler: 'runc', ...rest });
const REFUSED = '403 pods "a" is forbidden:';
const DEAR = { overhead: { podFixed: { cpu: '250m' } } };
const PLACED = { scheduling: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'x', operator: 'Exists' }] } };

const isPod = (object: KubeObject | string | undefined): object is Pod =>
  typeof object === 'object' && object.kind === 'Pod';

function specOf(spec: object, stored: KubeObject) {
  const result = outcome(runtimeClass, requestOf(Pods, pod(spec)), readerOf(stored));
  if (!isPod(result)) return result;
  const { containers: _containers, ...rest } = result.spec;
  return rest;
}

describe('RuntimeClass', () => {
  const runtimeClassName = 'r';
  const differs = `${REFUSED} pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`;
  const unfounded = `${REFUSED} pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead`;

  it.each<[string, object, object, object | string]>([
    ['no class -> as it is', {}, {}, {}],
    ['unknown -> refused', { runtimeClassName: 'q' }, {}, `${REFUSED} pod rejected: RuntimeClass "q" not found`],
    ['empty name -> failure', { runtimeClassName: '' }, {}, '500 resource name may not be empty'],
    [
      'a name that no path can have -> failure',
      { runtimeClassName: 'a/b' },
      {},
      `500 invalid resource name "a/b": [may not contain '/']`,
    ],
    ['overhead without a class -> refused', { overhead: { cpu: '1' } }, {}, unfounded],
    ['overhead, class without one -> refused', { runtimeClassName, overhead: { cpu: '1' } }, {}, unfounded],
    ['overhead of the class -> set', { runtimeClassName }, DEAR, { runtimeClassName, overhead: { cpu: '250m' } }],
    [
      'the same overhead -> fine',
      { runtimeClassName, overhead: { cpu: '0.25' } },
      DEAR,
      { runtimeClassName, overhead: { cpu: '250m' } },
    ],
    ['another overhead -> refused', { runtimeClassName, overhead: { cpu: '1' } }, DEAR, differs],
    ['another resource -> refused', { runtimeClassName, overhead: { memory: '250m' } }, DEAR, differs],
    ['a class with an empty overhead -> none', { runtimeClassName }, { overhead: {} }, { runtimeClassName }],
    [
      'scheduling -> merged',
      { runtimeClassName, nodeSelector: { a: 'b' }, tolerations: [{ key: 'x', operator: 'Equal', value: '1' }] },
      PLACED,
      {
        runtimeClassName,
        nodeSelector: { a: 'b', disk: 'ssd' },
        tolerations: [{ key: 'x', operator: 'Exists' }],
      },
    ],
    [
      'another node -> refused',
      { runtimeClassName, nodeSelector: { disk: 'hdd' } },
      PLACED,
      `${REFUSED} conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd`,
    ],
  ])('P-ADM-20 %s', (_case, spec, stored, expected) => {
    expect(specOf(spec, runtime(stored))).toEqual(expected);
  });

  it('P-ADM-20 an update, or a path below a pod -> not asked', () => {
    const object = pod({ runtimeClassName: 'gone' });
    expect(outcome(runtimeClass, requestOf(Pods, object, { before: object }), readerOf())).toBe(object);
    expect(outcome(runtimeClass, requestOf(Pods, object, { subresource: 'status' }), readerOf())).toBe(object);
  });
});

describe('mergedTolerations', () => {
  const exists = (key: string, rest: object = {}) => ({ key, operator: 'Exists', ...rest });
  const equal = (value: string, rest: object = {}) => ({ key: 'k', operator: 'Equal', value, ...rest });

  it.each<[string, readonly object[], readonly number[]]>([
    ['equal -> the first', [exists('k'), exists('j'), exists('k')], [0, 1]],
    ['a later one for all keys -> only that', [exists('k'), equal('1'), { operator: 'Exists' }], [2]],
    ['one effect in all -> all', [exists('k', { effect: 'NoSchedule' }), exists('k')], [1]],
    ['other effects -> both', [exists('k', { effect: 'NoSchedule' }), exists('k', { effect: 'NoExecute' })], [0, 1]],
    ['other values -> both', [equal('1'), equal('2')], [0, 1]],
    ['Equal after no operator -> the first', [{ key: 'k', value: '1' }, equal('1')], [0]],
    ['Equal before no operator -> the second', [equal('1'), { key: 'k', value: '1' }], [1]],
    [
      'less patience in more -> more',
      [300, 600, 600].map((tolerationSeconds) => exists('k', { effect: 'NoExecute', tolerationSeconds })),
      [1],
    ],
    [
      'some patience in no end -> no end',
      [exists('k', { effect: 'NoExecute' }), exists('k', { effect: 'NoExecute', tolerationSeconds: 1 })],
      [0],
    ],
    ['an unknown operator -> both', [equal('1'), { key: 'k', operator: 'Lt', value: '1' }], [0, 1]],
  ])('P-ADM-20 %s', (_case, all, left) => {
    expect(mergedTolerations(all)).toEqual(left.map((index) => all[index]));
  });
});
