// Commands of real kubectl that send protobuf bodies, against a started server.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const peers = peersFor('kubectl with protobuf', ['kubectl']);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-protobuf-'));
let server: StartedServer;

function kubectl(words: string, input = ''): string {
  const env = { ...process.env, HOME: folder, KUBECONFIG: server.kubeconfig };
  const { stdout, stderr } = spawnSync(peers?.kubectl ?? '', words.split(' '), { encoding: 'utf8', env, input });
  return (stdout + stderr).trim();
}

// skipped: without kubectl nobody sends such bodies
describe.skipIf(peers === undefined)('kubectl', () => {
  beforeAll(async () => {
    server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'));
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([
    ['create ns shop', 'namespace/shop created'],
    ['-n shop create sa robot', 'serviceaccount/robot created'],
    ['-n shop create cm settings --from-literal=a=b', 'configmap/settings created'],
    ['-n shop create secret generic keys --from-literal=a=b', 'secret/keys created'],
    ['-n shop create deployment web --image=nginx --replicas=0', 'deployment.apps/web created'],
    ['-n shop create job once --image=busybox', 'job.batch/once created'],
    ['-n shop create pdb keep --selector=app=web --min-available=50%', 'poddisruptionbudget.policy/keep created'],
    ['-n shop create quota small --hard=pods=3,requests.storage=5Gi', 'resourcequota/small created'],
    ['-n shop create role reader --verb=get --resource=pods', 'role.rbac.authorization.k8s.io/reader created'],
    [
      '-n shop create rolebinding read --role=reader --serviceaccount=shop:robot',
      'rolebinding.rbac.authorization.k8s.io/read created',
    ],
    ['create clusterrole nodes --verb=list --resource=nodes', 'clusterrole.rbac.authorization.k8s.io/nodes created'],
    ['create priorityclass high --value=1000', 'priorityclass.scheduling.k8s.io/high created'],
    ['-n shop create service clusterip web --tcp=80:8080', 'service/web created'],
    ['-n shop create ingress web --rule=a.example/*=web:80', 'ingress.networking.k8s.io/web created'],
    ['auth can-i create pods', 'yes'],
    ['auth can-i list nodes --as=system:serviceaccount:shop:robot', 'no'],
    ['auth whoami -o jsonpath={.status.userInfo.username}', 'mooring-admin'],
  ])('P-PB-1 kubectl %s -> %s', (words, says) => {
    expect(kubectl(words)).toContain(says);
  });

  test('P-PB-1 what was sent in protobuf -> read back as it was meant', () => {
    expect(kubectl('-n shop create cronjob often --image=busybox --schedule=@hourly')).toBe(
      'cronjob.batch/often created',
    );
    expect(kubectl('-n shop get pdb keep -o jsonpath={.spec.minAvailable}')).toBe('50%');
    expect(kubectl('-n shop get quota small -o jsonpath={.spec.hard}')).toBe('{"pods":"3","requests.storage":"5Gi"}');
    expect(kubectl('-n shop get secret keys -o jsonpath={.data.a}')).toBe('Yg==');
    expect(kubectl('-n shop get deployment web -o jsonpath={.spec.replicas}')).toBe('0');
    expect(kubectl('-n shop get svc web -o jsonpath={.spec.ports[0].targetPort}')).toBe('8080');
  });

  test('P-PB-1 rules, tokens and a drain without evictions -> answered', () => {
    expect(kubectl('auth can-i --list')).toContain('*.*');
    expect(kubectl('-n shop create token robot --duration=10m')).toMatch(/^ey[\w-]+\.[\w-]+\.[\w-]+$/);
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'shop' },
      spec: { nodeName: 'n1', terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'x' }] },
    };
    for (const object of [node, pod]) expect(kubectl('create -f -', JSON.stringify(object))).toContain('created');
    expect(kubectl('drain n1 --disable-eviction --force --grace-period=0 --timeout=60s')).toContain('node/n1 drained');
  });
});
