import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { ServiceAccounts } from '../../kube/resources/service-account.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { made, outcome, readerOf, requestOf } from './makers.ts';
import { priority } from './priority.ts';
import { serviceAccount } from './service-account.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

const pod = (spec: object = {}, rest: object = {}) =>
  made(Pods, { spec: { containers: [{ name: 'c', image: 'x' }], ...spec }, ...rest });
const isPod = (object: KubeObject | string | undefined): object is Pod =>
  typeof object === 'object' && object.kind === 'Pod';
const specOf = (result: KubeObject | string | undefined) => (isPod(result) ? result.spec : result);

describe('DefaultTolerationSeconds', () => {
  const plugin = defaultTolerationSeconds();
  const added = (key: string, tolerationSeconds = 300) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  });

  it.each<[string, readonly object[], readonly object[]]>([
    ['none -> both', [], [added('not-ready'), added('unreachable')]],
    [
      'others -> both after them',
      [{ key: 'x', operator: 'Exists' }],
      [{ key: 'x', operator: 'Exists' }, added('not-ready'), added('unreachable')],
    ],
    ['one of them -> the other', [added('not-ready', 5)], [added('not-ready', 5), added('unreachable')]],
    ['all taints -> nothing', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
    [
      'all keys but NoSchedule -> both',
      [{ operator: 'Exists', effect: 'NoSchedule' }],
      [{ operator: 'Exists', effect: 'NoSchedule' }, added('not-ready'), added('unreachable')],
    ],
  ])('P-ADM-6 %s', (_situation, tolerations, expected) => {
    expect(specOf(outcome(plugin, requestOf(Pods, pod({ tolerations })), readerOf()))).toMatchObject({
      tolerations: expected,
    });
  });

  it('P-ADM-6 an update without them -> they are back; another time is configured -> it', () => {
    const before = pod({ tolerations: [added('not-ready'), added('unreachable')] });
    expect(specOf(outcome(plugin, requestOf(Pods, pod(), { before }), readerOf()))).toMatchObject({
      tolerations: before.spec.tolerations,
    });
    const short = defaultTolerationSeconds({ tolerationSeconds: 30 });
    expect(specOf(outcome(short, requestOf(Pods, pod()), readerOf()))).toMatchObject({
      tolerations: [added('not-ready', 30), added('unreachable', 30)],
    });
  });
});

describe('TaintNodesByCondition', () => {
  const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  it.each<[string, readonly object[], readonly object[]]>([
    ['no taints -> not ready', [], [NOT_READY]],
    ['others -> after them', [{ key: 'x', effect: 'NoSchedule' }], [{ key: 'x', effect: 'NoSchedule' }, NOT_READY]],
    ['it is there -> once', [NOT_READY], [NOT_READY]],
  ])('P-ADM-7 new node, %s', (_situation, taints, expected) => {
    const node = made(Nodes, { spec: { taints } });
    expect(outcome(taintNodesByCondition, requestOf(Nodes, node), readerOf())).toMatchObject({
      spec: { taints: expected },
    });
  });

  it('P-ADM-7 an update of a node -> untouched', () => {
    const node = made(Nodes, {});
    expect(outcome(taintNodesByCondition, requestOf(Nodes, node, { before: node }), readerOf())).toBe(node);
  });
});

describe('Priority', () => {
  const PriorityClasses: Resource<KubeObject> = {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    kind: 'PriorityClass',
    namespaced: false,
  };
  const high = made(PriorityClasses, { metadata: { name: 'high' }, value: 1000, preemptionPolicy: 'Never' });
  const usual = made(PriorityClasses, { metadata: { name: 'usual' }, value: 5, globalDefault: true });

  it.each<[string, readonly KubeObject[], object, object]>([
    ['no class -> zero', [], {}, { priority: 0, preemptionPolicy: 'PreemptLowerPriority' }],
    [
      'a class -> its value and policy',
      [high],
      { priorityClassName: 'high' },
      { priority: 1000, preemptionPolicy: 'Never' },
    ],
    ['a default class -> it', [usual], {}, { priorityClassName: 'usual', priority: 5 }],
    [
      'a class of the system -> known without being stored',
      [],
      { priorityClassName: 'system-node-critical' },
      { priority: 2_000_001_000 },
    ],
  ])('P-ADM-8 %s', (_situation, classes, spec, expected) => {
    expect(specOf(outcome(priority, requestOf(Pods, pod(spec)), readerOf(...classes)))).toMatchObject(expected);
  });

  it("P-ADM-8 an unknown class, a number of one's own -> refused", () => {
    expect(outcome(priority, requestOf(Pods, pod({ priorityClassName: 'none' })), readerOf())).toBe(
      '403 pods "a" is forbidden: no PriorityClass with name none was found',
    );
    expect(outcome(priority, requestOf(Pods, pod({ priority: 7 })), readerOf())).toBe(
      '403 pods "a" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
  });

  it('P-ADM-8 an update without the number -> it stays', () => {
    const before = pod({ priority: 9, preemptionPolicy: 'Never' });
    expect(specOf(outcome(priority, requestOf(Pods, pod(), { before }), readerOf()))).toMatchObject({
      priority: 9,
      preemptionPolicy: 'Never',
    });
  });
});

describe('ServiceAccount', () => {
  const account = (fields: object = {}) =>
    made(ServiceAccounts, { metadata: { name: 'default', namespace: 'n' }, ...fields });
  const mounted = () => serviceAccount({ type: 'mounted', random: new SeededRandom(1) });

  it('P-ADM-9 named -> the default account under both names, no volume, nothing looked up', () => {
    const spec = specOf(outcome(serviceAccount({ type: 'named' }), requestOf(Pods, pod()), readerOf()));
    expect(spec).toMatchObject({ serviceAccountName: 'default', serviceAccount: 'default' });
    expect(spec).not.toHaveProperty('volumes');
  });

  it('P-ADM-9 mounted -> a token volume under a random name, in every container', () => {
    const typed = pod({ initContainers: [{ name: 'i', image: 'x' }] });
    expect(specOf(outcome(mounted(), requestOf(Pods, typed), readerOf(account())))).toMatchObject({
      volumes: [{ name: expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/), projected: { defaultMode: 420 } }],
      containers: [{ volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }] }],
      initContainers: [{ volumeMounts: [{ mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }],
    });
  });

  it.each<[string, object, object]>([
    ['the pod wants none', { automountServiceAccountToken: false }, {}],
    ['the account wants none', {}, { automountServiceAccountToken: false }],
  ])('P-ADM-9 mounted, %s -> no volume', (_situation, spec, fields) => {
    expect(specOf(outcome(mounted(), requestOf(Pods, pod(spec)), readerOf(account(fields))))).not.toHaveProperty(
      'volumes',
    );
  });

  it('P-ADM-9 mounted, unknown account -> refused; the default one not there yet -> let in without a token', () => {
    expect(outcome(mounted(), requestOf(Pods, pod({ serviceAccountName: 'x' })), readerOf())).toBe(
      '403 pods "a" is forbidden: error looking up service account n/x: serviceaccount "x" not found',
    );
    expect(specOf(outcome(mounted(), requestOf(Pods, pod()), readerOf()))).not.toHaveProperty('volumes');
  });

  it('P-ADM-9 the account has pull secrets -> the pod gets them', () => {
    const reader = readerOf(account({ imagePullSecrets: [{ name: 's' }] }));
    expect(specOf(outcome(mounted(), requestOf(Pods, pod()), reader))).toMatchObject({
      imagePullSecrets: [{ name: 's' }],
    });
  });

  it('P-ADM-9 a mirror pod -> untouched', () => {
    const mirror = pod(
      {},
      { metadata: { name: 'a', namespace: 'n', annotations: { 'kubernetes.io/config.mirror': 'x' } } },
    );
    expect(outcome(mounted(), requestOf(Pods, mirror), readerOf())).toBe(mirror);
  });
});
