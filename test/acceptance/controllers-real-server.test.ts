// Our controllers on a real API server, beside a real controller manager whose storage controllers are switched off.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { isApiError } from '../../src/kube/api-error.ts';
import { keyFrom } from '../../src/kube/object.ts';
import { CSIDrivers } from '../../src/kube/resources/csi-driver.ts';
import { CSINodes } from '../../src/kube/resources/csi-node.ts';
import { Events } from '../../src/kube/resources/event.ts';
import { Leases } from '../../src/kube/resources/lease.ts';
import { Nodes } from '../../src/kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { ServiceAccounts } from '../../src/kube/resources/service-account.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { type KubeClient, connect } from '../../src/kubeclient/kubeclient.ts';
import { peersFor } from '../peers.ts';
import { realCluster } from './apiserver-controllers-beside.ts';
import type { ServedCluster } from './apiserver-controllers-story.ts';
import type { RealApiServer } from './real-api-server.ts';
import { StartedControllers } from './started-controllers.ts';
import { builtProgram } from './started-server.ts';
import { until } from './until.ts';

const peers = peersFor('controllers on a real server', ['etcd', 'kube-apiserver', 'kube-controller-manager']);
const OURS = [
  'persistentvolume-binder-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-expander-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'ephemeral-volume-controller',
];
const DRIVER = 'disk.example.com';
const NODE = 'by-hand';
const ROOM = { cpu: '4', memory: '8Gi', pods: '10' };
/** How long a dead leader's Lease is believed in by one who looks every 4.4 s at most. */
const TAKEN_OVER_MS_MAX = 15_000 + 4400 + 1000;

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-beside-'));
const running: StartedControllers[] = [];
let program = '';
let server: RealApiServer;
let real: ServedCluster;
let manager: ChildProcess;
let client: KubeClient;
let cluster: Cluster;

function start(...words: readonly string[]): StartedControllers {
  const started = StartedControllers.start(program, ...words);
  running.push(started);
  return started;
}
const startOurs = (): StartedControllers => start('--kubeconfig', server.kubeconfig, '--only', OURS.join(','));

const volumeOf = (name: string) => ({
  apiVersion: 'v1' as const,
  kind: 'PersistentVolume' as const,
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce' as const],
    capacity: { storage: '1Gi' },
    storageClassName: 'by-hand',
    csi: { driver: DRIVER, volumeHandle: name },
  },
});
const claimOf = (name: string) => ({
  apiVersion: 'v1' as const,
  kind: 'PersistentVolumeClaim' as const,
  metadata: { namespace: 'default', name },
  spec: {
    accessModes: ['ReadWriteOnce' as const],
    storageClassName: 'by-hand',
    volumeName: name,
    resources: { requests: { storage: '1Gi' } },
  },
});

async function bind(name: string): Promise<void> {
  await cluster.create(PersistentVolumes, volumeOf(name));
  // A claim that names a volume nobody has seen yet is looked at again 15 s later, here as upstream.
  await until(`volume ${name}`, async () => {
    const volume = await cluster.get(PersistentVolumes, keyFrom(undefined, name));
    return volume.status.phase === 'Available';
  });
  await cluster.create(PersistentVolumeClaims, claimOf(name));
  await until(`claim ${name} to be bound`, async () => {
    const claim = await cluster.get(PersistentVolumeClaims, keyFrom('default', name));
    return claim.status.phase === 'Bound';
  });
}

const isGone = async (asked: Promise<unknown>): Promise<boolean> =>
  asked.then(
    () => false,
    (error: unknown) => isApiError(error, 'NotFound'),
  );
const lease = () => cluster.get(Leases, keyFrom('kube-system', 'mooring-controller-manager'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// skipped: without a real server there is nobody to stand beside
describe.skipIf(peers === undefined)('mooring controllers on a real API server', () => {
  beforeAll(async () => {
    if (peers === undefined) return;
    [program, { server, cluster: real }] = await Promise.all([builtProgram(folder), realCluster(peers, folder)]);
    const off = OURS.map((name) => `-${name}`).join(',');
    const words = ['--kubeconfig', real.manager, '--secure-port=0', '--use-service-account-credentials'];
    const keys = ['--root-ca-file', real.rootCa, '--service-account-private-key-file', real.accountKey];
    manager = spawn(peers['kube-controller-manager'], [...words, ...keys, `--controllers=*,${off}`], {
      stdio: 'ignore',
    });
    const clock = new SystemClock();
    client = connect({
      clock,
      random: new SeededRandom('beside'),
      log: silentLog,
      environment: {},
      home: '/',
      kubeconfig: server.kubeconfig,
    });
    cluster = client.as('test');
  }, 120_000);
  afterAll(async () => {
    await Promise.all(running.map((each) => each.stop('SIGKILL')));
    client.close();
    manager.kill('SIGKILL');
    await server.stop();
  });

  test('P-CTL-1 chosen controllers beside a real manager -> elected by a Lease of their own, and at work', async () => {
    const first = startOurs();
    await until('work', () => first.said.includes('leading'));
    const { spec } = await lease();
    expect(spec.holderIdentity).toBe(first.identity);
    expect(spec.leaseDurationSeconds).toBe(15);
    expect(first.said).toContain(`leading mooring-controller-manager: ${OURS[0]},`);
    await bind('static');
    const { items } = await cluster.list(Events, { namespace: 'kube-system' });
    const told = items.find(
      ({ involvedObject: { kind, name } }) => `${kind}/${name}` === 'Lease/mooring-controller-manager',
    );
    expect(told).toMatchObject({ reason: 'LeaderElection', message: `${first.identity} became leader` });
  }, 120_000);

  test('P-CTL-2 a pod on a node -> its volume is attached there, and detached when the pod has gone', async () => {
    await cluster.create(CSIDrivers, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: DRIVER },
      spec: { attachRequired: true },
    });
    await cluster.create(Nodes, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: NODE, annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } },
    });
    await cluster.create(CSINodes, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: NODE },
      spec: { drivers: [{ name: DRIVER, nodeID: NODE, topologyKeys: [] }] },
    });
    await until(
      'the account',
      async () => !(await isGone(cluster.get(ServiceAccounts, keyFrom('default', 'default')))),
    );
    await cluster.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'user' },
      spec: {
        nodeName: NODE,
        containers: [{ name: 'c', image: 'none' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'static' } }],
      },
    });
    const attachments = async () => (await cluster.list(VolumeAttachments)).items;
    await until('an attachment', async () => (await attachments()).length === 1);
    const [attachment] = await attachments();
    expect(attachment?.spec).toMatchObject({ attacher: DRIVER, nodeName: NODE });
    const attached = { type: 'merge', body: { status: { attached: true } } } as const;
    const key = keyFrom(undefined, attachment?.metadata.name ?? '');
    await cluster.patch(VolumeAttachments, key, attached, { subresource: 'status' });
    await until('a node that knows', async () => {
      const node = await cluster.get(Nodes, keyFrom(undefined, NODE));
      return node.status.volumesAttached?.length === 1;
    });
    await cluster.delete(PersistentVolumeClaims, keyFrom('default', 'static'));
    const claim = await cluster.get(PersistentVolumeClaims, keyFrom('default', 'static'));
    expect(claim.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await cluster.delete(Pods, keyFrom('default', 'user'), { gracePeriodSeconds: 0 });
    await until('no attachment', async () => (await attachments()).length === 0);
  }, 120_000);

  test('P-CTL-1 our scheduler alone -> elected by the Lease of the real one, and pods are bound to nodes', async () => {
    const scheduler = start('--kubeconfig', server.kubeconfig, '--only', 'kube-scheduler');
    const room = { type: 'merge', body: { status: { capacity: ROOM, allocatable: ROOM } } } as const;
    await cluster.patch(Nodes, keyFrom(undefined, NODE), room, { subresource: 'status' });
    await cluster.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'default', name: 'placed' },
      // Nobody plays the kubelet, so the node is soon tainted.
      spec: { containers: [{ name: 'c', image: 'none' }], tolerations: [{ operator: 'Exists' }] },
    });
    await until('a place', async () => {
      const { spec } = await cluster.get(Pods, keyFrom('default', 'placed'));
      return spec.nodeName === NODE;
    });
    const { spec } = await cluster.get(Leases, keyFrom('kube-system', 'kube-scheduler'));
    expect(spec.holderIdentity).toBe(scheduler.identity);
    expect(await scheduler.stop()).toBe(0);
    expect(scheduler.complained).toBe('');
    await cluster.delete(Pods, keyFrom('default', 'placed'), { gracePeriodSeconds: 0 });
  }, 120_000);

  test('P-CTL-2 a claim that nobody uses -> goes, then its volume is released and may go', async () => {
    await until('no claim', () => isGone(cluster.get(PersistentVolumeClaims, keyFrom('default', 'static'))));
    await until('a released volume', async () => {
      const volume = await cluster.get(PersistentVolumes, keyFrom(undefined, 'static'));
      return volume.status.phase === 'Released';
    });
    await cluster.delete(PersistentVolumes, keyFrom(undefined, 'static'));
    await until('no volume', () => isGone(cluster.get(PersistentVolumes, keyFrom(undefined, 'static'))));
  }, 120_000);

  test('P-CTL-3 the leader is killed -> the next one is at work when its Lease has run out; asked to end, it releases', async () => {
    const [first] = running;
    const second = startOurs();
    await until('a second one', () => second.said.includes(`held by ${first?.identity}`));
    const killedAt = performance.now();
    await first?.stop('SIGKILL');
    await until('the second to lead', () => second.said.includes('leading'));
    const tookMs = performance.now() - killedAt;
    expect(tookMs).toBeLessThan(TAKEN_OVER_MS_MAX);
    expect((await lease()).spec).toMatchObject({ holderIdentity: second.identity, leaseTransitions: 1 });
    await bind('after');
    expect(await second.stop()).toBe(0);
    expect((await lease()).spec.holderIdentity).toBe('');
    expect(second.complained).toBe('');
  }, 180_000);

  test('P-CTL-4 a user without rights -> the missing right by name', async () => {
    const stranger = server.authority.issue('stranger', {});
    const file = path.join(folder, 'stranger.kubeconfig');
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const user = { 'client-certificate-data': base64(stranger.cert), 'client-key-data': base64(stranger.key) };
    const at = { server: server.server, 'certificate-authority-data': base64(server.authority.ca) };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: at }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    };
    writeFileSync(file, JSON.stringify(config));
    const started = start('--kubeconfig', file);
    const right = 'User "stranger" cannot get resource "leases" in API group "coordination.k8s.io"';
    await until('a word about rights', () => started.complained.includes(right));
    expect(await started.stop()).toBe(0);
  }, 60_000);
});

describe('mooring controllers', () => {
  beforeAll(async () => {
    if (program === '') program = await builtProgram(folder);
  }, 120_000);

  test('P-CTL-5 no server -> one line, exit code 3; a wrong name -> exit code 2', async () => {
    const file = path.join(folder, 'nobody.kubeconfig');
    const clusters = [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }];
    const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
    const config = { apiVersion: 'v1', kind: 'Config', clusters, contexts, users: [{ name: 'u', user: {} }] };
    writeFileSync(file, JSON.stringify({ ...config, 'current-context': 'c' }));
    const alone = start('--kubeconfig', file);
    expect(await alone.ended).toBe(3);
    expect(alone.complained).toBe('mooring: cannot reach https://127.0.0.1:1: connection refused\n');
    const wrong = start('--kubeconfig', file, '--only', 'namespace-controller');
    expect(await wrong.ended).toBe(2);
  }, 120_000);

  test('P-CTL-5 --list -> names as upstream has them', async () => {
    const listed = start('--list');
    expect(await listed.ended).toBe(0);
    const names = listed.said.trim().split('\n');
    expect(names).toEqual(expect.arrayContaining([...OURS, 'statefulset-controller', 'kube-scheduler']));
    expect(names).not.toContain('garbage-collector-controller');
  }, 120_000);
});
