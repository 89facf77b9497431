import { describe, expect, it } from 'vitest';
import { controllerRevisionStrategy } from './controller-revision.ts';
import { deploymentStrategy } from './deployment.ts';
import { decoded, told, toldOfChange, toldOfNew } from './makers.ts';
import { podDisruptionBudgetStrategy } from './pod-disruption-budget.ts';
import { replicaSetStrategy } from './replica-set.ts';
import { statefulSetStrategy } from './stateful-set.ts';
import type { Strategy } from './strategy.ts';

const labels = { app: 'a' };
const template = (spec: object = {}, metadata: object = { labels }) => ({
  metadata,
  spec: { containers: [{ name: 'c', image: 'busybox:1.36' }], ...spec },
});
const workload = (spec: object = {}) => ({
  spec: { selector: { matchLabels: labels }, template: template(), ...spec },
});
const claim = (storage = '1Gi', metadata: object = { name: 'data' }) => ({
  metadata,
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});

describe('workloads', () => {
  it.each<[string, Strategy, string]>([
    ['Deployment', deploymentStrategy, 'deployment'],
    ['ReplicaSet', replicaSetStrategy, 'deployment'],
    ['StatefulSet', statefulSetStrategy, 'statefulset'],
  ])('P-REG-24 %s: selector missing, empty, beside the labels -> told', (_kind, strategy, name) => {
    const mismatch = '`selector` does not match template `labels`';
    expect(toldOfNew(strategy, workload({ selector: null }))).toEqual([
      'spec.selector: Required value',
      `spec.template.metadata.labels: Invalid value: {"app":"a"}: ${mismatch}`,
    ]);
    expect(toldOfNew(strategy, workload({ selector: {} }))).toEqual([
      `spec.selector: Invalid value: {}: empty selector is invalid for ${name}`,
    ]);
    expect(toldOfNew(strategy, workload({ template: template({}, { labels: { app: 'b' } }) }))).toEqual([
      `spec.template.metadata.labels: Invalid value: {"app":"b"}: ${mismatch}`,
    ]);
    expect(toldOfNew(strategy, workload({ replicas: -1 }))).toContain(
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
  });

  it.each<[string, Strategy]>([
    ['Deployment', deploymentStrategy],
    ['ReplicaSet', replicaSetStrategy],
  ])('P-REG-24 %s: another selector -> immutable', (_kind, strategy) => {
    const other = { selector: { matchLabels: { app: 'b' } }, template: template({}, { labels: { app: 'b' } }) };
    expect(toldOfChange(strategy, workload(), workload(other))).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
    ]);
  });

  it('P-REG-24 pods that would end -> unsupported', () => {
    const ending = workload({ template: template({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }) });
    expect(toldOfNew(replicaSetStrategy, ending)).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ]);
  });

  it('P-REG-24 more ready than there are -> refused', () => {
    const old = decoded(replicaSetStrategy, workload());
    const sent = decoded(replicaSetStrategy, {
      ...workload(),
      status: { replicas: 1, readyReplicas: 2, availableReplicas: 3 },
    });
    expect(told(replicaSetStrategy.validateStatusUpdate?.(sent, old) ?? [])).toEqual([
      'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
      'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
    ]);
  });
});

describe('Deployment', () => {
  it('P-REG-24 defaults -> one replica, a quarter at a time, ten revisions, ten minutes', () => {
    expect(decoded(deploymentStrategy, workload()).spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
  });

  const rolling = (maxUnavailable: number | string, maxSurge: number | string) => ({
    strategy: { rollingUpdate: { maxUnavailable, maxSurge } },
  });
  it.each<[string, object, readonly string[]]>([
    [
      'nothing may move -> invalid',
      rolling(0, '0%'),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'more than all -> invalid',
      rolling('101%', 1),
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
    ],
    [
      'a word -> no percentage',
      rolling('half', 1),
      [
        expect.stringContaining(
          'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "half": a valid percent string',
        ),
      ],
    ],
    [
      'Recreate with figures -> forbidden',
      { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'deadline not above the ready time -> invalid',
      { minReadySeconds: 600 },
      ['spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds'],
    ],
  ])('P-REG-24 %s', (_situation, spec, expected) => {
    expect(toldOfNew(deploymentStrategy, workload(spec))).toEqual(expected);
  });
});

describe('StatefulSet', () => {
  const FIXED =
    "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

  it('P-REG-25 defaults -> ordered, rolling from 0, claims retained and defaulted themselves', () => {
    expect(decoded(statefulSetStrategy, workload({ volumeClaimTemplates: [claim()] })).spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          kind: 'PersistentVolumeClaim',
          apiVersion: 'v1',
          spec: { volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
  });

  it('P-REG-25 a claim template is mounted -> it counts as a volume', () => {
    const mounted = template({
      containers: [{ name: 'c', image: 'x:1', volumeMounts: [{ name: 'data', mountPath: '/d' }] }],
    });
    expect(toldOfNew(statefulSetStrategy, workload({ template: mounted, volumeClaimTemplates: [claim()] }))).toEqual(
      [],
    );
    expect(toldOfNew(statefulSetStrategy, workload({ template: mounted }))).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'claim template without a size -> required',
      { volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { accessModes: ['ReadWriteOnce'] } }] },
      ['spec.volumeClaimTemplates[0].spec.resources[storage]: Required value'],
    ],
    [
      'unknown retention -> unsupported',
      { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Keep' } },
      [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "Keep": supported values: "Retain", "Delete"',
      ],
    ],
    [
      'unknown order -> invalid',
      { podManagementPolicy: 'Random' },
      ["spec.podManagementPolicy: Invalid value: \"Random\": must be 'OrderedReady' or 'Parallel'"],
    ],
    [
      'service of two parts -> no label',
      { serviceName: 'a.b' },
      ['spec.serviceName: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'negative start -> invalid',
      { ordinals: { start: -1 } },
      ['spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('P-REG-25 %s', (_situation, spec, expected) => {
    expect(toldOfNew(statefulSetStrategy, workload(spec))).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'replicas, template, retention -> fine',
      {
        replicas: 3,
        template: template({ nodeSelector: { a: 'b' } }),
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
      },
      [],
    ],
    ['size of a claim template -> fixed', { volumeClaimTemplates: [claim('2Gi')] }, [FIXED]],
    ['service name -> fixed', { serviceName: 'b' }, [FIXED]],
    ['order of the pods -> fixed', { podManagementPolicy: 'Parallel' }, [FIXED]],
  ])('P-REG-25 %s', (_situation, spec, expected) => {
    const base = { serviceName: 'a', volumeClaimTemplates: [claim()] };
    expect(toldOfChange(statefulSetStrategy, workload(base), workload({ ...base, ...spec }))).toEqual(expected);
  });

  it('P-REG-25 maxUnavailable, whose gate is off -> dropped', () => {
    const sent = decoded(
      statefulSetStrategy,
      workload({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } }),
    );
    expect(statefulSetStrategy.prepareForCreate?.(sent, { now: 0 }).spec.updateStrategy.rollingUpdate).toEqual({
      partition: 0,
    });
  });
});

describe('ControllerRevision', () => {
  it('P-REG-26 no data -> required; other data -> immutable', () => {
    expect(toldOfNew(controllerRevisionStrategy, { revision: 1 })).toEqual(['data: Required value: data is mandatory']);
    expect(
      toldOfChange(controllerRevisionStrategy, { data: { a: 1 }, revision: 1 }, { data: { a: 2 }, revision: 1 }),
    ).toEqual(['data: Invalid value: {"a":2}: field is immutable']);
  });
});

describe('PodDisruptionBudget', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'both limits -> invalid',
      { minAvailable: 1, maxUnavailable: '50%' },
      [
        'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":"50%","UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
    [
      'negative -> invalid',
      { minAvailable: -1 },
      ['spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'more than all -> invalid',
      { maxUnavailable: '150%' },
      ['spec.maxUnavailable: Invalid value: "150%": must not be greater than 100%'],
    ],
    [
      'unknown policy -> unsupported',
      { unhealthyPodEvictionPolicy: 'Never' },
      [
        'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
      ],
    ],
  ])('P-REG-26 %s', (_situation, spec, expected) => {
    expect(toldOfNew(podDisruptionBudgetStrategy, { spec })).toEqual(expected);
  });
});
