import { describe, expect, it } from 'vitest';
import { StatusError } from '../../kube/api-error.ts';
import type { Service } from '../../kube/resources/service.ts';
import { configMapStrategy } from './config-map.ts';
import { leaseStrategy } from './lease.ts';
import { decoded, told, toldOfChange, toldOfNew } from './makers.ts';
import { resourceQuotaStrategy } from './resource-quota.ts';
import { secretStrategy } from './secret.ts';
import { serviceStrategy } from './service.ts';
import {
  volumeSnapshotClassStrategy,
  volumeSnapshotContentStrategy,
  volumeSnapshotStrategy,
} from './volume-snapshot.ts';

const FROZEN = 'Forbidden: field is immutable when `immutable` is set';

describe('ConfigMap and Secret', () => {
  it.each<[string, object, readonly string[]]>([
    ['data -> refused', { data: { k: 'w' }, immutable: true }, [`data: ${FROZEN}`]],
    ['the flag -> refused', { data: { k: 'v' }, immutable: false }, [`immutable: ${FROZEN}`]],
    [
      'binary data -> refused',
      { data: { k: 'v' }, binaryData: { b: 'AA==' }, immutable: true },
      [`binaryData: ${FROZEN}`],
    ],
    ['nothing -> fine', { data: { k: 'v' }, immutable: true }, []],
  ])('P-REG-27 frozen map, change of %s', (_situation, after, expected) => {
    expect(toldOfChange(configMapStrategy, { data: { k: 'v' }, immutable: true }, after)).toEqual(expected);
  });

  it('P-REG-27 a key with a blank, and one in both places -> refused', () => {
    expect(toldOfNew(configMapStrategy, { data: { 'a b': 'x' } })).toEqual([
      expect.stringContaining('data[a b]: Invalid value: "a b": a valid config key'),
    ]);
    expect(toldOfNew(configMapStrategy, { data: { k: 'x' }, binaryData: { k: 'AA==' } })).toEqual([
      'data[k]: Invalid value: "k": duplicate of key present in binaryData',
    ]);
  });

  it('P-REG-27 more than a mebibyte -> too long', () => {
    expect(toldOfNew(configMapStrategy, { data: { k: 'x'.repeat(1024 * 1024 + 1) } })).toEqual([
      ': Too long: may not be more than 1048576 bytes',
    ]);
    expect(toldOfNew(secretStrategy, { data: { k: 'AAAA'.repeat(349_526) } })).toEqual([
      'data: Too long: may not be more than 1048576 bytes',
    ]);
  });

  it('P-REG-27 stringData -> becomes data, over a key of the same name', () => {
    const secret = decoded(secretStrategy, { data: { pin: 'MTIz', user: 'eA==' }, stringData: { user: 'änn' } });
    expect(secret).toMatchObject({ data: { pin: 'MTIz', user: 'w6Rubg==' }, type: 'Opaque' });
    expect(secret).not.toHaveProperty('stringData');
  });

  it.each<[string, object, readonly string[]]>([
    [
      'tls without its parts -> required',
      { type: 'kubernetes.io/tls' },
      ['data[tls.crt]: Required value', 'data[tls.key]: Required value'],
    ],
    ['basic auth with a password alone -> fine', { type: 'kubernetes.io/basic-auth', data: { password: '' } }, []],
    [
      'account token of nobody -> required',
      { type: 'kubernetes.io/service-account-token' },
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
  ])('P-REG-27 secret: %s', (_situation, typed, expected) => {
    expect(toldOfNew(secretStrategy, typed)).toEqual(expected);
  });

  it('P-REG-27 another type -> immutable', () => {
    expect(toldOfChange(secretStrategy, {}, { type: 'example.com/x' })).toEqual([
      'type: Invalid value: "example.com/x": field is immutable',
    ]);
  });
});

describe('Lease', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'no seconds at all -> invalid',
      { leaseDurationSeconds: 0 },
      ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
    ],
    [
      'negative transitions -> invalid',
      { leaseTransitions: -1 },
      ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
    ],
    ['empty -> fine', {}, []],
  ])('P-REG-28 %s', (_situation, spec, expected) => {
    expect(toldOfNew(leaseStrategy, { spec })).toEqual(expected);
  });

  it('P-REG-28 a coordinated election, whose gate is off -> dropped', () => {
    const sent = decoded(leaseStrategy, {
      spec: { holderIdentity: 'x', strategy: 'OldestEmulationVersion', preferredHolder: 'y' },
    });
    expect(leaseStrategy.prepareForCreate?.(sent, { now: 0 }).spec).toEqual({ holderIdentity: 'x' });
  });
});

describe('ResourceQuota', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'storage by class and counts -> fine',
      {
        hard: {
          'requests.storage': '5Gi',
          'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '2',
          'count/secrets': '3',
        },
      },
      [],
    ],
    [
      'half a claim -> must be whole',
      { hard: { persistentvolumeclaims: '500m' } },
      ['spec.hard[persistentvolumeclaims]: Invalid value: "500m": must be an integer'],
    ],
    [
      'negative -> invalid',
      { hard: { 'requests.storage': '-1Gi' } },
      ['spec.hard[requests.storage]: Invalid value: "-1Gi": must be greater than or equal to 0'],
    ],
    [
      'a word -> two faults',
      { hard: { disks: '1' } },
      [
        'spec.hard[disks]: Invalid value: "disks": must be a standard resource type or fully qualified',
        'spec.hard[disks]: Invalid value: "disks": must be a standard resource for quota',
      ],
    ],
    [
      'scope that storage does not have -> unsupported',
      { hard: { 'requests.storage': '1Gi' }, scopes: ['BestEffort'] },
      ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
    ],
    [
      'scopes against each other -> conflicting',
      { hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] },
      ['spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes'],
    ],
    [
      'scope selector In without values -> required',
      { hard: { pods: '1' }, scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
      [
        "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      ],
    ],
  ])('P-REG-29 %s', (_situation, spec, expected) => {
    expect(toldOfNew(resourceQuotaStrategy, { spec })).toEqual(expected);
  });

  it('P-REG-29 other scopes -> immutable; in another order -> fine', () => {
    const quota = (...scopes: string[]) => ({ spec: { hard: { pods: '1' }, scopes } });
    expect(toldOfChange(resourceQuotaStrategy, quota('BestEffort'), quota('NotBestEffort'))).toEqual([
      'spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable',
    ]);
    expect(
      toldOfChange(resourceQuotaStrategy, quota('BestEffort', 'Terminating'), quota('Terminating', 'BestEffort')),
    ).toEqual([]);
  });
});

describe('Service', () => {
  const service = (spec: object = {}) =>
    decoded(serviceStrategy, {
      metadata: { name: 's', uid: 'b6f1e4f4-0f7c-4a9e-9d0e-0123456789ab' },
      spec: { ports: [{ port: 80 }], ...spec },
    });
  const allocated = (spec: object, before?: Service) => {
    const made = serviceStrategy.allocate?.(service(spec), before, { now: 0 });
    if (made === undefined || made instanceof StatusError) throw made ?? new Error('services allocate');
    return made;
  };
  const created = (spec: object = {}) => allocated(spec).spec;

  it('P-REG-30 created -> an address of its own, the same each time, and defaults', () => {
    expect(created()).toMatchObject({
      type: 'ClusterIP',
      sessionAffinity: 'None',
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      clusterIP: expect.stringMatching(/^10\.(9[6-9]|10\d|111)\.\d+\.\d+$/),
    });
    expect(created().clusterIP).toBe(created().clusterIP);
    expect(created({ clusterIP: 'None' })).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
  });

  it('P-REG-30 NodePort -> a port on every node, kept by updates', () => {
    const made = allocated({ type: 'NodePort' });
    expect(made.spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    expect(allocated({ type: 'NodePort' }, made).spec.ports).toEqual(made.spec.ports);
    expect(allocated({ type: 'NodePort', ports: [{ port: 81 }] }, made).spec.ports?.[0]?.nodePort).toBe(
      made.spec.ports?.[0]?.nodePort,
    );
  });

  it('P-REG-30 ports of a balancer -> none is given twice, and none that another port asks for', () => {
    const names = Array.from({ length: 40 }, (_, index) => ({ name: `p${index}`, port: 1 + index }));
    const first = created({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: names });
    const asked = first.ports?.[0]?.nodePort;
    const again = created({ type: 'NodePort', ports: [...names, { name: 'x', port: 99, nodePort: asked }] });
    expect(new Set([...(first.ports ?? []), { nodePort: first.healthCheckNodePort }].map((p) => p.nodePort)).size).toBe(
      41,
    );
    expect(new Set(again.ports?.map(({ nodePort }) => nodePort)).size).toBe(41);
  });

  it('P-REG-30 an update without the address -> it stays', () => {
    const old = allocated({});
    expect(allocated({}, old).spec.clusterIP).toBe(old.spec.clusterIP);
  });

  it.each<[string, object, readonly string[]]>([
    ['no ports -> required', { ports: [] }, ['spec.ports: Required value']],
    ['headless without ports -> fine', { ports: [], clusterIP: 'None' }, []],
    ['external name without a name -> required', { type: 'ExternalName' }, ['spec.externalName: Required value']],
  ])('P-REG-30 %s', (_situation, spec, expected) => {
    expect(told(serviceStrategy.validate(allocated(spec)))).toEqual(expected);
  });
});

describe('snapshot kinds', () => {
  it('P-REG-31 a snapshot of two sources or none -> exactly one', () => {
    const detail = 'exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set';
    expect(toldOfNew(volumeSnapshotStrategy, { spec: { source: {} } })).toEqual([
      `spec.source: Invalid value: {}: ${detail}`,
    ]);
    expect(toldOfNew(volumeSnapshotStrategy, { spec: { source: { persistentVolumeClaimName: 'c' } } })).toEqual([]);
  });

  it('P-REG-31 another claim -> immutable', () => {
    const of = (persistentVolumeClaimName: string) => ({ spec: { source: { persistentVolumeClaimName } } });
    expect(toldOfChange(volumeSnapshotStrategy, of('a'), of('b'))).toEqual([
      'spec.source.persistentVolumeClaimName: Invalid value: "b": persistentVolumeClaimName is immutable',
    ]);
  });

  it('P-REG-31 content and class -> policy and driver are required', () => {
    expect(toldOfNew(volumeSnapshotClassStrategy, { driver: '', deletionPolicy: 'Burn' })).toEqual([
      'driver: Required value',
      'deletionPolicy: Unsupported value: "Burn": supported values: "Delete", "Retain"',
    ]);
    const content = {
      driver: 'd',
      deletionPolicy: 'Delete',
      source: { snapshotHandle: 'h' },
      volumeSnapshotRef: { name: 's', namespace: 'n' },
    };
    expect(toldOfNew(volumeSnapshotContentStrategy, { spec: content })).toEqual([]);
    expect(
      toldOfChange(
        volumeSnapshotContentStrategy,
        { spec: content },
        { spec: { ...content, source: { snapshotHandle: 'i' } } },
      ),
    ).toEqual(['spec.source.snapshotHandle: Invalid value: "i": snapshotHandle is immutable']);
  });

  it('P-REG-31 labels in a write to the status -> the stored metadata stays', () => {
    const spec = { source: { persistentVolumeClaimName: 'c' } };
    const old = decoded(volumeSnapshotStrategy, { spec });
    const sent = decoded(volumeSnapshotStrategy, {
      metadata: { name: 'a', labels: { x: 'y' } },
      spec,
      status: { readyToUse: true },
    });
    const stored = volumeSnapshotStrategy.prepareForStatusUpdate?.(sent, old, { now: 0 });
    expect(stored).toMatchObject({ metadata: old.metadata, status: { readyToUse: true } });
    expect(told(volumeSnapshotStrategy.validate(old))).toEqual([]);
  });
});
