import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../base/clock.ts';
import { shapeObject } from '../kube/go-shape.ts';
import type { KubeObject, Resource } from '../kube/object.ts';
import { ConfigMaps } from '../kube/resources/config-map.ts';
import { Deployments } from '../kube/resources/deployment.ts';
import { Events } from '../kube/resources/event.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../kube/resources/pod.ts';
import { ResourceQuotas } from '../kube/resources/resource-quota.ts';
import { Services } from '../kube/resources/service.ts';
import { type Amounts, chargedNames, decideCharge, totalUsage } from './quota-usage.ts';

const NOW = Date.UTC(2021, 0, 1, 12);
const make = <T extends KubeObject>(resource: Resource<T>, typed: object): T =>
  shapeObject(resource, { metadata: { name: 'a', namespace: 'n' }, ...typed });
const claim = (storage: string, className = 'gold', status: object = {}) =>
  make(PersistentVolumeClaims, { spec: { resources: { requests: { storage } }, storageClassName: className }, status });
const pod = (resources: object, spec: object = {}, rest: object = {}) =>
  make(Pods, { spec: { containers: [{ name: 'c', image: 'x', resources }], ...spec }, ...rest });
const quota = (hard: Amounts, used: Amounts | undefined, spec: object = {}) =>
  make(ResourceQuotas, {
    metadata: { name: 'limit', namespace: 'n' },
    spec: { hard, ...spec },
    status: { hard, ...(used === undefined ? {} : { used }) },
  });
const GOLD = 'gold.storageclass.storage.k8s.io';

function decided<T extends KubeObject>(
  resource: Resource<T>,
  object: T,
  limit: ReturnType<typeof quota>,
  change: { before?: T; subresource?: string } = {},
) {
  const write = { resource, subresource: change.subresource, object, before: change.before, now: NOW };
  const decision = decideCharge(write, [limit]);
  return decision.type === 'refuse' ? decision.message : decision.quotas.map(({ status }) => status.used);
}

describe('decideCharge', () => {
  const HARD = { 'requests.storage': '5Gi', persistentvolumeclaims: '3', [`${GOLD}/requests.storage`]: '2Gi' };
  const USED = { 'requests.storage': '2Gi', persistentvolumeclaims: '1', [`${GOLD}/requests.storage`]: '2Gi' };

  it('P-ADM-15 a pod is resized -> the difference is charged, or the resize refused', () => {
    const asking = (cpu: string): ReturnType<typeof pod> => pod({ requests: { cpu } });
    const limit = quota({ 'requests.cpu': '1' }, { 'requests.cpu': '100m' });
    const resized = { before: asking('100m'), subresource: 'resize' };
    expect(decided(Pods, asking('600m'), limit, resized)).toEqual([{ 'requests.cpu': '600m' }]);
    expect(decided(Pods, asking('2'), limit, resized)).toMatch(/^exceeded quota: /);
  });

  it("P-ADM-12 claim of another class fits -> size and number are charged, in the limit's own units", () => {
    expect(decided(PersistentVolumeClaims, claim('3Gi', 'silver'), quota(HARD, USED))).toEqual([
      { 'requests.storage': '5Gi', persistentvolumeclaims: '2', [`${GOLD}/requests.storage`]: '2Gi' },
    ]);
  });

  it.each<[string, PersistentVolumeClaim, string]>([
    [
      'class is full',
      claim('1Gi'),
      `exceeded quota: limit, requested: ${GOLD}/requests.storage=1Gi, used: ${GOLD}/requests.storage=2Gi, limited: ${GOLD}/requests.storage=2Gi`,
    ],
    [
      'namespace is full',
      claim('4Gi', 'silver'),
      'exceeded quota: limit, requested: requests.storage=4Gi, used: requests.storage=2Gi, limited: requests.storage=5Gi',
    ],
  ])('P-ADM-12 %s -> refused with the names that are exceeded', (_situation, object, message) => {
    expect(decided(PersistentVolumeClaims, object, quota(HARD, USED))).toBe(message);
  });

  it('P-ADM-12 two names are exceeded -> both told, in order', () => {
    expect(
      decided(
        PersistentVolumeClaims,
        claim('1Gi', ''),
        quota(
          { persistentvolumeclaims: '0', 'count/persistentvolumeclaims': '0' },
          { persistentvolumeclaims: '0', 'count/persistentvolumeclaims': '0' },
        ),
      ),
    ).toBe(
      'exceeded quota: limit, requested: count/persistentvolumeclaims=1,persistentvolumeclaims=1, used: count/persistentvolumeclaims=0,persistentvolumeclaims=0, limited: count/persistentvolumeclaims=0,persistentvolumeclaims=0',
    );
  });

  it('P-ADM-13 a claim grows -> only the growth is charged; it shrinks -> nothing', () => {
    const limit = quota({ 'requests.storage': '5Gi' }, { 'requests.storage': '2Gi' });
    expect(decided(PersistentVolumeClaims, claim('4Gi'), limit, { before: claim('2Gi') })).toEqual([
      { 'requests.storage': '4Gi' },
    ]);
    expect(decided(PersistentVolumeClaims, claim('1Gi'), limit, { before: claim('2Gi') })).toEqual([]);
    expect(decided(PersistentVolumeClaims, claim('6Gi'), limit, { before: claim('2Gi') })).toBe(
      'exceeded quota: limit, requested: requests.storage=4Gi, used: requests.storage=2Gi, limited: requests.storage=5Gi',
    );
  });

  it('P-ADM-13 an expansion is promised more than is asked -> charged even beyond the limit', () => {
    const limit = quota({ 'requests.storage': '3Gi' }, { 'requests.storage': '2Gi' });
    const promised = claim('2Gi', 'gold', { allocatedResources: { storage: '10Gi' } });
    expect(decided(PersistentVolumeClaims, promised, limit, { before: claim('2Gi'), subresource: 'status' })).toEqual([
      { 'requests.storage': '10Gi' },
    ]);
  });

  it('P-ADM-12 a size beyond what a number holds exactly -> as it is', () => {
    const limit = quota({ 'requests.storage': '20P' }, { 'requests.storage': '0' });
    expect(decided(PersistentVolumeClaims, claim('9007199254740993'), limit)).toEqual([
      { 'requests.storage': '9007199254740993' },
    ]);
  });

  it('P-ADM-12 a fraction of a byte -> a whole one', () => {
    expect(
      decided(PersistentVolumeClaims, claim('1500m'), quota({ 'requests.storage': '5' }, { 'requests.storage': '0' })),
    ).toEqual([{ 'requests.storage': '2' }]);
  });

  it('P-ADM-14 the quota has not been counted yet -> refused', () => {
    expect(decided(PersistentVolumeClaims, claim('1Gi'), quota(HARD, undefined))).toBe(
      `status unknown for quota: limit, resources: ${GOLD}/requests.storage,persistentvolumeclaims,requests.storage`,
    );
  });

  it('P-ADM-14 a quota on cpu and a silent container -> refused', () => {
    const limit = quota({ 'requests.cpu': '1', 'limits.memory': '1Gi' }, { 'requests.cpu': '0', 'limits.memory': '0' });
    expect(decided(Pods, pod({ requests: { cpu: '1' } }), limit)).toBe(
      'failed quota: limit: must specify limits.memory for: c',
    );
  });

  it.each<[string, Pod, Amounts]>([
    [
      'containers add up',
      pod(
        { requests: { cpu: '1' } },
        { containers: ['a', 'b'].map((name) => ({ name, image: 'x', resources: { requests: { cpu: '500m' } } })) },
      ),
      { 'requests.cpu': '1', pods: '1' },
    ],
    [
      'the start needs more',
      pod(
        { requests: { cpu: '1' } },
        { initContainers: [{ name: 'i', image: 'x', resources: { requests: { cpu: '3' } } }] },
      ),
      { 'requests.cpu': '3', pods: '1' },
    ],
    [
      'a sidecar adds up',
      pod(
        { requests: { cpu: '1' } },
        { initContainers: [{ name: 'i', image: 'x', restartPolicy: 'Always', resources: { requests: { cpu: '3' } } }] },
      ),
      { 'requests.cpu': '4', pods: '1' },
    ],
    [
      'overhead adds up',
      pod({ requests: { cpu: '1' } }, { overhead: { cpu: '250m' } }),
      { 'requests.cpu': '1250m', pods: '1' },
    ],
  ])('P-ADM-15 pod, %s', (_situation, object, expected) => {
    const limit = quota({ 'requests.cpu': '100', pods: '10' }, { 'requests.cpu': '0', pods: '0' });
    expect(
      decideCharge({ resource: Pods, subresource: undefined, object, before: undefined, now: NOW }, [limit]),
    ).toMatchObject({ quotas: [{ status: { used: expected } }] });
  });

  it.each<[string, object, boolean]>([
    ['BestEffort, the pod asks nothing', { scopes: ['BestEffort'] }, true],
    ['NotBestEffort, the pod asks nothing', { scopes: ['NotBestEffort'] }, false],
    ['Terminating, the pod has no deadline', { scopes: ['Terminating'] }, false],
    [
      'its priority class',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      true,
    ],
    [
      'another priority class',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }] } },
      false,
    ],
  ])('P-ADM-16 scope %s -> charged: %s', (_situation, spec, isCharged) => {
    const object = pod({}, { priorityClassName: 'high' }, { status: { qosClass: 'BestEffort' } });
    expect(decided(Pods, object, quota({ pods: '5' }, { pods: '0' }, spec))).toEqual(isCharged ? [{ pods: '1' }] : []);
  });

  it('P-ADM-16 scope of an attributes class -> claims that name it, now or soon', () => {
    const spec = {
      scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }] },
    };
    const limit = quota({ persistentvolumeclaims: '5' }, { persistentvolumeclaims: '0' }, spec);
    const changing = claim('1Gi', '', {
      modifyVolumeStatus: { targetVolumeAttributesClassName: 'fast', status: 'InProgress' },
    });
    expect(decided(PersistentVolumeClaims, changing, limit)).toEqual([{ persistentvolumeclaims: '1' }]);
    expect(decided(PersistentVolumeClaims, claim('1Gi'), limit)).toEqual([]);
  });

  it('P-ADM-15 other kinds -> by count, core ones also by their plain name; events never', () => {
    expect(
      decided(
        ConfigMaps,
        make(ConfigMaps, {}),
        quota({ configmaps: '5', 'count/configmaps': '5' }, { configmaps: '0', 'count/configmaps': '0' }),
      ),
    ).toEqual([{ configmaps: '1', 'count/configmaps': '1' }]);
    expect(
      decided(
        Deployments,
        make(Deployments, {}),
        quota({ 'count/deployments.apps': '0' }, { 'count/deployments.apps': '0' }),
      ),
    ).toBe(
      'exceeded quota: limit, requested: count/deployments.apps=1, used: count/deployments.apps=0, limited: count/deployments.apps=0',
    );
    expect(decided(Events, make(Events, {}), quota({ 'count/events': '0' }, { 'count/events': '0' }))).toEqual([]);
  });

  it('P-ADM-15 services -> node ports and balancers too', () => {
    const hard = { services: '9', 'services.nodeports': '9', 'services.loadbalancers': '9' };
    const used = { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' };
    const service = make(Services, { spec: { type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] } });
    expect(decided(Services, service, quota(hard, used))).toEqual([
      { services: '1', 'services.nodeports': '2', 'services.loadbalancers': '1' },
    ]);
  });
});

describe('totalUsage', () => {
  it('P-ADM-17 what is stored -> counted by every name the quota limits, zero where nothing is', () => {
    const limit = quota(
      {
        'requests.storage': '9Gi',
        [`${GOLD}/persistentvolumeclaims`]: '9',
        pods: '9',
        'count/pods': '9',
        secrets: '9',
      },
      undefined,
    );
    const ended = pod({}, {}, { status: { phase: 'Succeeded' } });
    const overdue = pod(
      {},
      {},
      {
        metadata: {
          name: 'b',
          namespace: 'n',
          deletionTimestamp: '2021-01-01T00:00:00Z',
          deletionGracePeriodSeconds: 30,
        },
      },
    );
    const stocks = [
      { resource: PersistentVolumeClaims, objects: [claim('2Gi'), claim('1Gi', 'silver')] },
      { resource: Pods, objects: [pod({}), ended, overdue] },
    ];
    const used = totalUsage(limit, stocks, NOW);
    expect(used).toEqual({
      'requests.storage': '3Gi',
      [`${GOLD}/persistentvolumeclaims`]: '1',
      pods: '1',
      'count/pods': '3',
    });
    expect(totalUsage(limit, stocks, NOW - 13 * HOUR_MS)).toMatchObject({ pods: '2' });
  });

  it('P-ADM-17 names of a quota -> each to the kind that is charged', () => {
    const names = [
      'requests.storage',
      'pods',
      'count/persistentvolumeclaims',
      `${GOLD}/requests.storage`,
      'secrets',
      'requests.example.com/gpu',
    ];
    expect(chargedNames(PersistentVolumeClaims, names)).toEqual([
      'requests.storage',
      'count/persistentvolumeclaims',
      `${GOLD}/requests.storage`,
    ]);
    expect(chargedNames(Pods, names)).toEqual(['pods', 'requests.example.com/gpu']);
  });
});
