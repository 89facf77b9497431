import { describe, expect, it } from 'vitest';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import type { LimitRangeItem } from './limit-checks.ts';
import { LimitRanges, limitRanger } from './limit-ranger.ts';
import { made, outcome, readerOf, requestOf } from './makers.ts';

const range = (...limits: readonly LimitRangeItem[]) => made(LimitRanges, { spec: { limits } });
const pod = (spec: object) => made(Pods, { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
const asking = (resources: object, more: object = {}) => ({ name: 'c', image: 'i', resources, ...more });
const claim = (storage: string) => made(PersistentVolumeClaims, { spec: { resources: { requests: { storage } } } });

const DEFAULTS: LimitRangeItem = {
  type: 'Container',
  default: { cpu: '500m', memory: '500Mi' },
  defaultRequest: { cpu: '100m', memory: '200Mi' },
};
const judged = (given: Pod, ...limits: readonly LimitRangeItem[]) =>
  outcome(limitRanger, requestOf(Pods, given), readerOf(range(...limits)));

describe('LimitRanger', () => {
  it('P-ADM-18 a container that is silent -> the defaults, and an annotation that says so', () => {
    const given = pod({
      containers: [asking({ requests: { cpu: '300m' } })],
      initContainers: [asking({ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } })],
    });
    expect(judged(given, DEFAULTS)).toMatchObject({
      metadata: {
        annotations: {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: memory request for container c; cpu, memory limit for container c',
        },
      },
      spec: {
        containers: [
          { resources: { requests: { cpu: '300m', memory: '200Mi' }, limits: { cpu: '500m', memory: '500Mi' } } },
        ],
        initContainers: [{ resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
      },
    });
  });

  it('P-ADM-18 nothing to fill in, or another namespace -> the pod as it was', () => {
    const given = pod({ containers: [asking({ requests: DEFAULTS.default, limits: DEFAULTS.default })] });
    expect(judged(given, DEFAULTS)).toBe(given);
    const elsewhere = made(LimitRanges, { metadata: { name: 'a', namespace: 'm' }, spec: { limits: [DEFAULTS] } });
    expect(outcome(limitRanger, requestOf(Pods, pod({})), readerOf(elsewhere))).toEqual(pod({}));
  });

  it.each<readonly [string, LimitRangeItem, object, string]>([
    [
      'no request',
      { type: 'Container', min: { cpu: '100m' } },
      {},
      'minimum cpu usage per Container is 100m.  No request is specified',
    ],
    [
      'request too small',
      { type: 'Container', min: { cpu: '100m' } },
      { requests: { cpu: '50m' } },
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    [
      'limit too small',
      { type: 'Container', min: { cpu: '100m' } },
      { requests: { cpu: '100m' }, limits: { cpu: '50m' } },
      'minimum cpu usage per Container is 100m, but limit is 50m',
    ],
    [
      'no limit',
      { type: 'Container', max: { memory: '1Gi' } },
      { requests: { memory: '1Mi' } },
      'maximum memory usage per Container is 1Gi.  No limit is specified',
    ],
    [
      'limit too large',
      { type: 'Container', max: { memory: '1Gi' } },
      { limits: { memory: '2Gi' } },
      'maximum memory usage per Container is 1Gi, but limit is 2Gi',
    ],
    [
      'two faults',
      { type: 'Container', max: { cpu: '1', memory: '1Gi' } },
      { limits: { cpu: '2', memory: '2Gi' } },
      '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
    ],
    [
      'ratio too large',
      { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } },
      { requests: { cpu: '300m' }, limits: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 1500m, but provided ratio is 3.333333',
    ],
    [
      'ratio to nothing',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '0' }, limits: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      'ratio of nothing',
      { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '1' } },
      'cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0',
    ],
  ])('P-ADM-18 %s -> refused', (_what, item, resources, why) => {
    expect(judged(pod({ containers: [asking(resources)] }), item)).toBe(`403 pods "a" is forbidden: ${why}`);
  });

  it.each<readonly [string, object, string]>([
    ['containers together', { containers: [1, 2].map(() => asking({ limits: { cpu: '600m' } })) }, '1200m'],
    [
      'a start that needs more',
      { containers: [asking({ limits: { cpu: '1' } })], initContainers: [asking({ limits: { cpu: '3' } })] },
      '3',
    ],
    [
      'a sidecar beside all that come later',
      {
        containers: [asking({ limits: { cpu: '1' } })],
        initContainers: [
          asking({ limits: { cpu: '1' } }, { restartPolicy: 'Always' }),
          asking({ limits: { cpu: '2' } }),
        ],
      },
      '3',
    ],
    ['what the pod says itself', { resources: { limits: { cpu: '7' } } }, '7'],
  ])('P-ADM-18 a pod as a whole: %s -> its sum', (_what, spec, sum) => {
    expect(judged(pod(spec), { type: 'Pod', max: { cpu: '1' } })).toBe(
      `403 pods "a" is forbidden: maximum cpu usage per Pod is 1, but limit is ${sum}`,
    );
  });

  it.each<readonly [string, string | undefined]>([
    ['1Gi', undefined],
    ['100Mi', 'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 100Mi'],
    ['3Gi', 'maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi'],
  ])('P-ADM-18 a claim of %s between 1Gi and 2Gi -> %s', (storage, why) => {
    const given = claim(storage);
    const bounds = range({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } });
    const expected = why === undefined ? given : `403 persistentvolumeclaims "a" is forbidden: ${why}`;
    expect(outcome(limitRanger, requestOf(PersistentVolumeClaims, given), readerOf(bounds))).toEqual(expected);
  });

  it.each<readonly [string, Parameters<typeof requestOf>[2]]>([
    ['an update of a pod', { before: pod({}) }],
    ['a write of its status', { before: pod({}), subresource: 'status' }],
    ['a deletion', { operation: 'DELETE', before: pod({}) }],
  ])('P-ADM-18 %s -> not judged', (_what, change) => {
    const bounds = readerOf(range({ type: 'Container', min: { cpu: '1' } }));
    const given = outcome(limitRanger, requestOf(Pods, pod({}), change), bounds);
    expect(typeof given).not.toBe('string');
  });

  it('P-ADM-18 a pod that is resized -> judged', () => {
    const bounds = readerOf(range({ type: 'Container', max: { cpu: '1' } }));
    const before = pod({});
    const resized = requestOf(Pods, pod({ containers: [asking({ limits: { cpu: '2' } })] }), {
      before,
      subresource: 'resize',
    });
    expect(outcome(limitRanger, resized, bounds)).toContain('but limit is 2');
  });
});
