import { describe, expect, it } from 'vitest';
import { decoded, told, toldOfChange } from './makers.ts';
import { podStrategy as strategy } from './pod.ts';

const container = (fields: object = {}) => ({ name: 'c', image: 'busybox:1.36', ...fields });
const pod = (spec: object = {}, rest: object = {}) => ({ spec: { containers: [container()], ...spec }, ...rest });
const withContainer = (fields: object) => pod({ containers: [container(fields)] });

describe('a change of a pod', () => {
  const FIXED =
    'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';
  const gated = { schedulingGates: [{ name: 'example.com/a' }, { name: 'example.com/b' }] };
  const seconds = (tolerationSeconds: number) => ({
    tolerations: [{ key: 'x', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }],
  });

  it.each<[string, object, object, readonly string[]]>([
    ['image -> fine', pod(), withContainer({ image: 'busybox:1.37' }), []],
    ['node -> fixed', pod(), pod({ nodeName: 'x' }), [FIXED]],
    ['restart policy -> fixed', pod(), pod({ restartPolicy: 'Never' }), [FIXED]],
    [
      'one more container -> told alone',
      pod(),
      pod({ containers: [container(), container({ name: 'd' })], nodeName: 'x' }),
      ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    ],
    ['deadline from none -> fine', pod(), pod({ activeDeadlineSeconds: 60 }), []],
    ['deadline lowered -> fine', pod({ activeDeadlineSeconds: 60 }), pod({ activeDeadlineSeconds: 50 }), []],
    [
      'deadline raised -> refused',
      pod({ activeDeadlineSeconds: 60 }),
      pod({ activeDeadlineSeconds: 70 }),
      ['spec.activeDeadlineSeconds: Invalid value: 70: must be less than or equal to previous value'],
    ],
    [
      'deadline taken away -> refused',
      pod({ activeDeadlineSeconds: 60 }),
      pod(),
      ['spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value'],
    ],
    [
      'toleration added -> fine',
      pod(seconds(5)),
      pod({ tolerations: [{ key: 'y', operator: 'Exists' }, ...seconds(5).tolerations] }),
      [],
    ],
    ['time of a toleration -> fine', pod(seconds(5)), pod(seconds(9)), []],
    [
      'toleration removed -> refused',
      pod(seconds(5)),
      pod(),
      ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
    ],
    [
      'negative grace to 1 -> fine',
      pod({ terminationGracePeriodSeconds: -5 }),
      pod({ terminationGracePeriodSeconds: 1 }),
      [],
    ],
    ['grace otherwise -> fixed', pod(), pod({ terminationGracePeriodSeconds: 1 }), [FIXED]],
    ['gate removed -> fine', pod(gated), pod({ schedulingGates: [{ name: 'example.com/b' }] }), []],
    [
      'gate added -> refused',
      pod(),
      pod({ schedulingGates: [{ name: 'example.com/b' }] }),
      [
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/b'",
      ],
    ],
    ['node selector added behind a gate -> fine', pod(gated), pod({ ...gated, nodeSelector: { a: 'b' } }), []],
    [
      'node selector changed behind a gate -> refused',
      pod({ ...gated, nodeSelector: { a: 'b' } }),
      pod({ ...gated, nodeSelector: { a: 'c' } }),
      [
        'spec.nodeSelector: Invalid value: {"a":"c"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ],
    ],
    ['node selector without a gate -> fixed', pod(), pod({ nodeSelector: { a: 'b' } }), [FIXED]],
  ])('P-REG-18 %s', (_situation, before, after, expected) => {
    expect(toldOfChange(strategy, before, after)).toEqual(expected);
  });

  it('P-REG-18 an ephemeral container through its own path -> only added', () => {
    const rules = strategy.subresources?.['ephemeralcontainers'];
    const debug = { name: 'debug', image: 'busybox:1.36' };
    const old = decoded(strategy, pod({ ephemeralContainers: [debug] }));
    const change = (spec: object) => {
      const now = rules?.prepareForUpdate(decoded(strategy, pod(spec)), old, { now: 0 });
      return now === undefined ? undefined : told(rules?.validateUpdate(now, old) ?? []);
    };
    expect(change({ ephemeralContainers: [debug, { ...debug, name: 'more' }], nodeName: 'ignored' })).toEqual([]);
    expect(change({})).toEqual([
      'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed',
    ]);
  });
});

describe("a change of a pod's status", () => {
  const ended = (exitCode: number) => ({ containerStatuses: [{ name: 'c', state: { terminated: { exitCode } } }] });
  const running = { containerStatuses: [{ name: 'c', state: { running: {} } }] };
  const toldOfStatus = (spec: object, before: object, after: object) => {
    const old = decoded(strategy, pod(spec, { status: before }));
    const now = strategy.prepareForStatusUpdate?.(decoded(strategy, pod(spec, { status: after })), old, { now: 0 });
    return now === undefined ? undefined : told(strategy.validateStatusUpdate?.(now, old) ?? []);
  };

  it.each<[string, object, object, object, readonly string[]]>([
    ['ended container runs again, policy Always -> fine', {}, ended(0), running, []],
    ['failed container runs again, policy OnFailure -> fine', { restartPolicy: 'OnFailure' }, ended(1), running, []],
    [
      'done container runs again, policy OnFailure -> refused',
      { restartPolicy: 'OnFailure' },
      ended(0),
      running,
      ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    ],
    ['class of service left out -> kept', {}, { qosClass: 'BestEffort' }, { phase: 'Running' }, []],
    [
      'class of service changed -> immutable',
      {},
      { qosClass: 'BestEffort' },
      { qosClass: 'Guaranteed' },
      ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    ],
    [
      'node nominated for a pod that has one -> refused',
      { nodeName: 'n' },
      {},
      { nominatedNodeName: 'm' },
      ['status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node'],
    ],
    [
      'condition of an odd name -> invalid',
      {},
      {},
      { conditions: [{ type: 'a/b/c', status: 'True' }] },
      [expect.stringContaining('status.conditions[0].Type: Invalid value: "a/b/c"')],
    ],
  ])('P-REG-19 %s', (_situation, spec, before, after, expected) => {
    expect(toldOfStatus(spec, before, after)).toEqual(expected);
  });

  it('P-REG-19 the kubelet leaves out owners and generations -> kept', () => {
    const owners = [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 's', uid: 'u' }];
    const conditions = [{ type: 'Ready', status: 'True', observedGeneration: 2 }];
    const old = decoded(
      strategy,
      pod({}, { metadata: { name: 'a', ownerReferences: owners }, status: { observedGeneration: 3, conditions } }),
    );
    const sent = decoded(strategy, pod({}, { status: { conditions: [{ type: 'Ready', status: 'False' }] } }));
    expect(strategy.prepareForStatusUpdate?.(sent, old, { now: 0 })).toMatchObject({
      metadata: { ownerReferences: owners },
      status: { observedGeneration: 3, conditions: [{ status: 'False', observedGeneration: 2 }] },
    });
  });
});

describe('grace of a deletion', () => {
  const grace = (spec: object, status: object, requested?: number) =>
    strategy.gracePeriodSeconds?.(decoded(strategy, pod(spec, { status })), requested);
  it.each<[string, object, object, number | undefined, number]>([
    ['no node -> at once', {}, {}, 60, 0],
    ['on a node, none named -> its own', { nodeName: 'n', terminationGracePeriodSeconds: 7 }, {}, undefined, 7],
    ['on a node, named -> as named', { nodeName: 'n' }, {}, 60, 60],
    ['on a node, zero -> at once', { nodeName: 'n' }, {}, 0, 0],
    ['ended -> at once', { nodeName: 'n' }, { phase: 'Succeeded' }, undefined, 0],
    ['negative of its own -> one second', { nodeName: 'n', terminationGracePeriodSeconds: -5 }, {}, undefined, 1],
  ])('P-REG-20 %s', (_situation, spec, status, requested, expected) => {
    expect(grace(spec, status, requested)).toBe(expected);
  });
});
