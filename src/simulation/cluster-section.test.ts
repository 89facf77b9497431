import { describe, expect, test } from 'vitest';
import { readClusterFile } from './cluster-section.ts';
import { FileFault } from './yaml-reader.ts';

const FILE = `profile: 1.36.3
nodes:
  - name: db-1
    zone: east
    labels: { disk: fast }
    taints: [{ key: only, value: db, effect: NoSchedule }]
    capacity: { cpu: 8, pods: 20 }
  - { name: db-2, zone: west, agent: bare }
drivers:
  - name: disk.example.com
    topology: zone
    attachRequired: true
    storageCapacity: true
    maxVolumesPerNode: 4
    capabilities:
      controller: [CREATE_DELETE_VOLUME, PUBLISH_UNPUBLISH_VOLUME]
      node: [STAGE_UNSTAGE_VOLUME]
    pools: [{ name: main, capacity: 100Gi, segments: { topology.kubernetes.io/zone: east } }]
    acceptedParameters: { kind: [fast, slow] }
    volumes: [{ volumeId: old, capacity: 1Gi }]
    latency: { CreateVolume: 800ms, default: 5ms }
classes:
  - { name: fast, driver: disk.example.com, parameters: { kind: fast }, waitForFirstConsumer: true, default: true }
attributesClasses:
  - { name: gold, driver: disk.example.com, parameters: { tier: gold } }
components:
  kube-scheduler: off
  statefulset-controller: off
  csi-attacher: { disk.example.com: off }
  kubelet: { db-2: off }
settings:
  pvclaimbinder-sync-period: 10s
`;

/** The one line that a user gets for a file in which one text was replaced by another. */
function complaint(from: string, to: string): string {
  expect(FILE).toContain(from);
  try {
    readClusterFile('c.yaml', FILE.replace(from, to));
  } catch (error) {
    if (error instanceof FileFault) return error.line;
    throw error;
  }
  return 'accepted';
}

describe('a cluster file', () => {
  test('P-UP-8 that is sound -> the shape of a cluster', () => {
    const shape = readClusterFile('c.yaml', FILE);
    expect(shape.nodes).toEqual([
      {
        name: 'db-1',
        zone: 'east',
        labels: { disk: 'fast' },
        taints: [{ key: 'only', value: 'db', effect: 'NoSchedule' }],
        capacity: { cpu: '8', pods: '20' },
      },
      { name: 'db-2', zone: 'west', agent: 'bare' },
    ]);
    expect(shape.drivers[0]).toMatchObject({
      attachRequired: true,
      latencyMs: { CreateVolume: 800, default: 5 },
      driver: {
        maxVolumesPerNode: 4,
        topology: { segments: { 'topology.kubernetes.io/zone': { 'db-1': 'east', 'db-2': 'west' } } },
        volumes: [{ volumeId: 'old', capacity: '1Gi' }],
      },
    });
    expect(shape.attributesClasses).toEqual([
      { name: 'gold', driverName: 'disk.example.com', parameters: { tier: 'gold' } },
    ]);
    expect(shape.components).toEqual({
      'kube-scheduler': false,
      'statefulset-controller': false,
      'csi-attacher': { 'disk.example.com': false },
      kubelet: { 'db-2': false },
    });
    expect(shape.settings).toEqual({ 'pvclaimbinder-sync-period': '10s' });
  });

  test('P-UP-8 that names no drivers -> those of a cluster without a file; an empty list -> none', () => {
    const usual = readClusterFile('c.yaml', 'nodes: 2\n');
    expect([usual.nodes.map(({ zone }) => zone), usual.classes.map(({ name }) => name)]).toEqual([
      ['zone-1', 'zone-2'],
      ['standard'],
    ]);
    const none = readClusterFile('c.yaml', 'drivers: []\n');
    expect([none.nodes.length, none.drivers, none.classes]).toEqual([3, [], []]);
  });

  const rows: readonly [string, string, string, string][] = [
    ['unknown key', 'profile:', 'profil:', 'c.yaml:1:1: unknown key "profil" in a cluster, did you mean "profile"?'],
    [
      'what only stories have',
      'settings:',
      'tickless: true\nsettings:',
      'c.yaml:31:1: unknown key "tickless" in a cluster',
    ],
    ['unknown profile', '1.36.3', '1.12', 'c.yaml:1:10: unknown profile "1.12"'],
    [
      'unknown key of a node',
      'zone: east',
      'zome: east',
      'c.yaml:4:5: unknown key "zome" in a node, did you mean "zone"?',
    ],
    [
      'a name that no node may have',
      'db-2,',
      'DB_2,',
      'c.yaml:8:13: the name of a node "DB_2": a lowercase RFC 1123 subdomain',
    ],
    ['a node twice', 'name: db-2', 'name: db-1', 'c.yaml:8:5: nodes has "db-1" twice'],
    ['no such agent', 'agent: bare', 'agent: none', 'c.yaml:8:38: "none" is not known'],
    ['no such effect', 'NoSchedule', 'Never', 'c.yaml:6:46: "Never" is not known'],
    ['a label value', 'disk: fast', 'disk: "so so"', 'c.yaml:5:21: labels.disk: a valid label must be'],
    ['no quantity', 'cpu: 8', 'cpu: many', 'c.yaml:7:22: capacity.cpu must be a quantity such as 10Gi, not "many"'],
    ['no such capability', 'STAGE_UNSTAGE_VOLUME', 'STAGE', 'c.yaml:17:14: "STAGE" is not known'],
    ['a pool of no size', 'capacity: 100Gi', 'capacity: []', 'c.yaml:18:37: capacity must be a text'],
    [
      'a place without places',
      'topology: zone',
      'vendorVersion: 1',
      'c.yaml:18:44: segments need a driver with topology',
    ],
    [
      'a negative limit',
      'maxVolumesPerNode: 4',
      'maxVolumesPerNode: -4',
      'c.yaml:14:24: maxVolumesPerNode must not be negative',
    ],
    [
      'a text for a switch',
      'attachRequired: true',
      'attachRequired: maybe',
      'c.yaml:12:21: attachRequired must be true or false',
    ],
    ['no such call', 'CreateVolume:', 'MakeVolume:', 'c.yaml:21:16: no call "MakeVolume"'],
    [
      'no such component',
      'kube-scheduler',
      'kube-schedular',
      'c.yaml:27:3: no component "kube-schedular", did you mean "kube-scheduler"?',
    ],
    ['a component half on', 'kube-scheduler: off', 'kube-scheduler: half', 'c.yaml:27:19: kube-scheduler is on or off'],
    ['a sidecar of no driver', '{ disk.example.com: off }', '{ disk: off }', 'c.yaml:29:19: no csi-attacher of "disk"'],
    [
      'a kubelet of no node',
      '{ db-2: off }',
      '{ db-3: off }',
      'c.yaml:30:14: no kubelet of "db-3", did you mean "db-1"?',
    ],
    [
      'a setting of nobody',
      'pvclaimbinder-sync-period',
      'pvclaimbinder-period',
      'c.yaml:32:3: unknown setting "pvclaimbinder-period"',
    ],
    ['a key twice', 'settings:', 'nodes: 3\nsettings:', 'c.yaml:31:1: Map keys must be unique'],
    [
      'a class twice',
      'attributesClasses:',
      '  - { name: fast, driver: d }\nattributesClasses:',
      'c.yaml:24:5: classes has "fast" twice',
    ],
    ['too many nodes', FILE, 'nodes: 101\n', 'c.yaml:1:8: nodes must be 0 to 100'],
    ['nothing in it', FILE, '# later\n', 'c.yaml:1:1: the file is empty'],
    ['a list', FILE, '- nodes\n', 'c.yaml:1:1: a cluster must be a mapping'],
  ];
  test.each(rows)('P-UP-8 %s -> one line with file, line and column', (_, from, to, expected) => {
    const line = complaint(from, to);
    expect(line.slice(0, expected.length)).toBe(expected);
    expect(line).not.toContain('\n');
  });
});
