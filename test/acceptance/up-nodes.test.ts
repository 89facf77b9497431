// What the virtual nodes of `mooring up` answer: to two kubectls through the API server, and at their own ports.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CertificateAuthority, newAuthority } from '../../src/apiserver/http/certificates/authority.ts';
import { parsedExposition } from '../parsed-exposition.ts';
import { peersFor } from '../peers.ts';
import { type Ran, StartedCluster } from './started-cluster.ts';
import { builtProgram, identityIn } from './started-server.ts';
import { until } from './until.ts';

const peers = peersFor('the nodes of a whole cluster', ['kubectl', 'kubectl-old']);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-up-nodes-'));
/** A node that says nothing for so long says nothing. */
const SILENCE_MS = 1500;
let cluster: StartedCluster;

const KUBECTLS = ['kubectl', 'kubectl-old'] as const;
const ran = (kubectl: (typeof KUBECTLS)[number], ...words: readonly string[]): Ran =>
  cluster.kubectl(peers?.[kubectl] ?? '', ...words);
function told(...words: readonly string[]): string {
  const { code, out, err } = ran('kubectl', ...words);
  expect([words, code, err]).toEqual([words, 0, expect.any(String)]);
  return out;
}

// skipped: without kubectl there is nobody to ask
describe.skipIf(peers === undefined)('the virtual nodes of mooring up', () => {
  beforeAll(async () => {
    cluster = await StartedCluster.start(await builtProgram(folder), path.join(folder, 'data'), '--speed', '10');
    told('wait', '--for=condition=Ready', 'node', '--all', '--timeout=30s');
    told('apply', '-f', path.join(cluster.directory, 'example.yaml'));
    told('rollout', 'status', 'statefulset/db', '--timeout=60s');
  }, 120_000);
  afterAll(async () => {
    await cluster.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(KUBECTLS)(
    'P-VN-4 %s top -> figures of nodes, pods and containers',
    (kubectl) => {
      expect(ran(kubectl, 'top', 'nodes', '--no-headers').out).toMatch(
        /^node-a +\d+m +\d+% +\d+Mi +\d+% *\nnode-b +.*\nnode-c +.*\n$/,
      );
      expect(ran(kubectl, 'top', 'node', 'node-b', '--no-headers').out).toMatch(/^node-b +\d+m /);
      expect(ran(kubectl, 'top', 'pods', '-A', '--no-headers').out).toMatch(
        /^default +db-0 +\d+m +\d+Mi *\ndefault +db-1 /,
      );
      expect(ran(kubectl, 'top', 'pods', '--containers', '-l', 'app=db', '--no-headers').out).toMatch(
        /^db-0 +db +\d+m +\d+Mi *\ndb-1 +db /,
      );
      expect(ran(kubectl, 'top', 'pods', '-l', 'app=other').err).toContain('No resources found');
      expect(ran(kubectl, 'get', 'nodes.metrics.k8s.io').out).toMatch(
        /^NAME +CPU +MEMORY +WINDOW\nnode-a +\d+n +\d+Ki +30s\n/,
      );
      expect(ran(kubectl, 'get', 'apiservice', 'v1beta1.metrics.k8s.io', '--no-headers').out).toMatch(/ Local +True /);
    },
    60_000,
  );

  test.each(KUBECTLS)(
    'P-VN-4 %s logs -> sentences, exit 0',
    (kubectl) => {
      const { code, out } = ran(kubectl, 'logs', 'db-0');
      expect([code, out]).toEqual([
        0,
        expect.stringMatching(
          /^node-\w is a virtual node: [^]*Container db \(image \S+\) started at 20\S+Z\.\n[^]*claim data-db-0/,
        ),
      ]);
      expect(ran(kubectl, 'logs', 'db-0', '--tail=1', '--timestamps').out).toMatch(/^20\S+Z Volume data .*\n$/);
      expect(ran(kubectl, 'logs', 'db-0', '--previous')).toMatchObject({
        code: 1,
        err: expect.stringContaining('previous terminated container "db" in pod "db-0" not found') as string,
      });
    },
    60_000,
  );

  test.each(KUBECTLS)(
    'P-VN-4 %s exec, attach, port-forward -> refused in one sentence',
    (kubectl) => {
      const SENTENCE = /node-\w is a virtual node: its containers run no program, so /;
      for (const words of [
        ['exec', 'db-0', '--', 'ls'],
        ['attach', 'db-0'],
        ['port-forward', 'pod/db-0', '0:80'],
      ]) {
        const { code, err } = ran(kubectl, ...words);
        expect([words, code, err]).toEqual([words, 1, expect.stringMatching(SENTENCE)]);
      }
    },
    60_000,
  );

  test('P-VN-4 logs that are followed -> end with the container', async () => {
    told('create', 'deployment', 'brief', '--image=i');
    told('rollout', 'status', 'deployment/brief', '--timeout=60s');
    const following = followed('logs', '-f', 'deployment/brief');
    await until('the beginning', () => following.out.includes('started at'));
    told('delete', 'deployment', 'brief');
    await until('the end', () => following.code !== undefined);
    expect(following).toEqual({ code: 0, out: expect.stringMatching(/ended at \S+ with exit code 0\.\n$/) as string });
  }, 60_000);

  test('P-VN-4 the node proxy -> stats, metrics, pods; a description of the node reads right', () => {
    const node = told('get', 'pod', 'db-0', '-o', 'jsonpath={.spec.nodeName}');
    const raw = (rest: string): string => told('get', '--raw', `/api/v1/nodes/${node}/proxy/${rest}`);
    const { pods } = JSON.parse(raw('stats/summary')) as { pods: readonly { volume?: readonly unknown[] }[] };
    expect(pods.flatMap(({ volume = [] }) => volume)).toContainEqual(
      expect.objectContaining({
        pvcRef: { name: 'data-db-0', namespace: 'default' },
        capacityBytes: 1_073_741_824,
        usedBytes: 50_331_648,
        availableBytes: 1_023_410_176,
      }),
    );
    const families = parsedExposition(raw('metrics'));
    expect(families.get('kubelet_volume_stats_used_bytes')?.samples.map(({ labels }) => labels)).toContainEqual({
      namespace: 'default',
      persistentvolumeclaim: 'data-db-0',
    });
    expect(parsedExposition(raw('metrics/resource')).has('pod_memory_working_set_bytes')).toBe(true);
    expect(raw('pods')).toContain('"db-0"');
    expect(raw('healthz')).toBe('ok');
    const described = told('describe', 'node', node);
    expect(described).toMatch(/InternalIP: +127\.0\.0\.1\n +Hostname: +node-\w\n/);
    expect(described).toMatch(/OS Image: +Mooring virtual node\n/);
  }, 60_000);

  test('P-CRA-2 view bound to a user -> sees pods and their figures, and no secrets', () => {
    told('create', 'rolebinding', 'looks', '--clusterrole=view', '--user=jane');
    const mays = (verb: string, what: string): string =>
      ran('kubectl', 'auth', 'can-i', verb, what, '--as=jane').out.trim();
    expect(mays('list', 'pods')).toBe('yes');
    expect(mays('list', 'pods.metrics.k8s.io')).toBe('yes');
    expect(mays('list', 'secrets')).toBe('no');
    expect(ran('kubectl', 'top', 'pods', '--no-headers', '--as=jane').out).toMatch(/^db-0 /);
  }, 60_000);

  test('P-VN-1 its own port -> 401 without a proof or with a strange one, 403 without the right, else answered', async () => {
    const port = Number(told('get', 'node', 'node-a', '-o', 'jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}'));
    const admin = identityIn(cluster.kubeconfig);
    const viewer = identityIn(path.join(cluster.directory, 'identities', 'viewer.kubeconfig'));
    const now = Date.now();
    const strange = new CertificateAuthority(newAuthority(now));
    const forged = strange.issue({ commonName: 'x', organizations: ['system:masters'] }, { type: 'client' }, now);
    const { ca } = admin;
    expect(await asked(port, { ca })).toBe(401);
    expect(await asked(port, { ca, key: forged.key, cert: forged.certificate })).toBe(401);
    expect(await asked(port, viewer)).toBe(403);
    expect(await asked(port, admin)).toBe(200);
  }, 60_000);

  test('P-VN-3 frozen -> silent and without figures; crashed -> nobody listens; back -> as before', async () => {
    const port = Number(told('get', 'node', 'node-c', '-o', 'jsonpath={.status.daemonEndpoints.kubeletEndpoint.Port}'));
    const admin = identityIn(cluster.kubeconfig);
    const figures = (): string => told('top', 'nodes', '--no-headers');
    begin('freeze', { type: 'node-freeze', node: 'node-c' });
    await until('no figures', () => /node-c +<unknown>/.test(figures()));
    expect(await asked(port, admin)).toBe('silence');
    told('delete', 'fault', 'freeze');
    await until('figures', () => /node-c +\d+m/.test(figures()));
    begin('crash', { type: 'node-crash', node: 'node-c' });
    await until('no figures', () => /node-c +<unknown>/.test(figures()));
    expect(await asked(port, admin)).toBe('ECONNREFUSED');
    told('delete', 'fault', 'crash');
    await until('figures', () => /node-c +\d+m/.test(figures()));
    expect(await asked(port, admin)).toBe(200);
  }, 120_000);
});

/** A command that takes its time. */
function followed(...words: readonly string[]): { out: string; code?: number | null } {
  const env = { ...process.env, HOME: cluster.directory, KUBECONFIG: cluster.kubeconfig };
  const child = spawn(peers?.kubectl ?? '', words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const state: { out: string; code?: number | null } = { out: '' };
  child.stdout.on('data', (bytes: Buffer) => (state.out += bytes.toString('utf8')));
  child.once('close', (code) => (state.code = code));
  return state;
}

function begin(name: string, spec: object): void {
  const file = path.join(folder, `${name}.json`);
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: 'chaos.mooring.dev/v1alpha1', kind: 'Fault', metadata: { name }, spec }),
  );
  told('apply', '-f', file);
}

/** The code of an answer, of an error, or silence. */
function asked(port: number, tls: https.RequestOptions): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/stats/summary', agent: false, ...tls };
    const sent = https.get(options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.setTimeout(SILENCE_MS, () => {
      sent.destroy();
      resolve('silence');
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
