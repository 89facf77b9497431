// Real kubectl against a started server.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const peers = peersFor('kubectl', ['kubectl']);
const KUBECTL = peers?.kubectl ?? '';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-kubectl-'));
let server: StartedServer;

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Discovery is cached below HOME: one of our own, or another server's kinds would be found. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, HOME: folder, KUBECONFIG: server.kubeconfig });

function kubectl(...words: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(KUBECTL, words, { encoding: 'utf8', env: environment() });
  return { code: status, out: stdout, err: stderr };
}

function file(name: string, text: string): string {
  const full = path.join(folder, name);
  writeFileSync(full, text);
  return full;
}

const claim = (name: string, more = ''): string => `apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: ${name}${more} }
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: slow
  resources: { requests: { storage: 1Gi } }
`;

// skipped: without kubectl there is nothing to ask
describe.skipIf(peers === undefined)('kubectl', () => {
  beforeAll(async () => {
    server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'));
  }, 120_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('P-HTTP-14 get ns -> the table of namespaces', () => {
    const { out } = kubectl('get', 'ns');
    expect(out).toMatch(/^NAME +STATUS +AGE\n/);
    expect(out).toMatch(/^kube-system +Active +\d+s$/m);
  });

  test('P-HTTP-14 api-resources -> short names, groups and kinds', () => {
    const { out } = kubectl('api-resources', '--no-headers');
    expect(out).toMatch(/^persistentvolumeclaims +pvc +v1 +true +PersistentVolumeClaim$/m);
    expect(out).toMatch(/^storageclasses +sc +storage\.k8s\.io\/v1 +false +StorageClass$/m);
    expect(out).toMatch(/^volumesnapshots +vs +snapshot\.storage\.k8s\.io\/v1 +true +VolumeSnapshot$/m);
    expect(out.split('\n').length).toBeGreaterThan(60);
  });

  test('P-HTTP-14 create, get, patch, label, delete of a claim -> as on a cluster', () => {
    expect(kubectl('create', '--validate=false', '-f', file('made.yaml', claim('made'))).out).toBe(
      'persistentvolumeclaim/made created\n',
    );
    expect(kubectl('get', 'pvc', 'made').out).toMatch(
      /^NAME +STATUS +VOLUME +CAPACITY +ACCESS MODES +STORAGECLASS +VOLUMEATTRIBUTESCLASS +AGE\nmade +Pending +slow +<unset> +\d+s\n$/,
    );
    expect(kubectl('get', 'pvc', 'made', '-o', 'jsonpath={.spec.resources.requests.storage}').out).toBe('1Gi');
    expect(kubectl('patch', 'pvc', 'made', '-p', '{"metadata":{"annotations":{"a":"b"}}}').out).toContain('patched');
    expect(kubectl('label', 'pvc', 'made', 'c=d').out).toContain('labeled');
    expect(kubectl('get', 'pvc', '-l', 'c=d', '-o', 'name').out).toBe('persistentvolumeclaim/made\n');
    expect(kubectl('delete', 'pvc', 'made', '--wait=false').code).toBe(0);
    expect(kubectl('get', 'pvc', 'made', '--no-headers').out).toMatch(/^made +Terminating/);
    const release = '[{"op":"remove","path":"/metadata/finalizers"}]';
    expect(kubectl('patch', 'pvc', 'made', '--type=json', '-p', release).code).toBe(0);
    expect(kubectl('get', 'pvc', 'made').err).toBe(
      'Error from server (NotFound): persistentvolumeclaims "made" not found\n',
    );
  });

  test('P-HTTP-14 apply twice, then changed -> created, unchanged, configured', () => {
    const apply = (text: string): string =>
      kubectl('apply', '--server-side=false', '--validate=false', '-f', file('applied.yaml', text)).out;
    expect(apply(claim('applied'))).toBe('persistentvolumeclaim/applied created\n');
    expect(apply(claim('applied'))).toBe('persistentvolumeclaim/applied unchanged\n');
    expect(apply(claim('applied', ', labels: { a: b }'))).toBe('persistentvolumeclaim/applied configured\n');
    expect(kubectl('get', 'pvc', 'applied', '--show-labels', '--no-headers').out).toContain('a=b');
  });

  test('P-HTTP-14 wait for a phase -> ends when it comes', async () => {
    kubectl('create', '--validate=false', '-f', file('waited.yaml', claim('waited')));
    const words = ['wait', '--for=jsonpath={.status.phase}=Bound', 'pvc/waited', '--timeout=30s'];
    const waiting = spawn(KUBECTL, words, { env: environment(), stdio: 'ignore' });
    const code = new Promise((resolve) => waiting.once('exit', resolve));
    kubectl('patch', 'pvc', 'waited', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Bound"}}');
    expect(await code).toBe(0);
  });

  test('P-HTTP-14 delete and wait -> ends when the object has gone', () => {
    kubectl('create', '--validate=false', '-f', file('sc.yaml', STORAGE_CLASS));
    expect(kubectl('get', 'sc', '--no-headers').out).toMatch(
      /^slow \(default\) +disk\.example\.com +Delete +Immediate +false/,
    );
    expect(kubectl('delete', 'sc', 'slow', '--timeout=30s').code).toBe(0);
    expect(kubectl('get', 'sc').err).toBe('No resources found\n');
  });

  test('P-HTTP-14 get -w -> rows as they change', async () => {
    const watching = spawn(KUBECTL, ['get', 'cm', '-w', '--no-headers'], {
      env: environment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const rows = new Promise<string>((resolve) => {
      let out = '';
      watching.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString('utf8');
        if (/^seen +1 +\d+s$/m.test(out)) resolve(out);
      });
    });
    kubectl(
      'create',
      '--validate=false',
      '-f',
      file('cm.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen}\n'),
    );
    kubectl('patch', 'cm', 'seen', '--type=merge', '-p', '{"data":{"a":"b"}}');
    expect(await rows).toMatch(/^seen +0 +\d+s$/m);
    watching.kill();
  });

  test('P-HTTP-14 an unknown field under strict validation -> refused with its path', () => {
    const sent = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'strict' }, dat: {} };
    const target = '/api/v1/namespaces/default/configmaps?fieldValidation=Strict';
    const { err } = kubectl('create', '--raw', target, '-f', file('strict.json', JSON.stringify(sent)));
    expect(err).toContain('strict decoding error: unknown field "dat"');
  });

  test('P-HTTP-14 get --raw -> documents as they are', () => {
    expect(kubectl('get', '--raw', '/readyz').out).toBe('ok');
    expect(JSON.parse(kubectl('get', '--raw', '/apis').out)).toMatchObject({ kind: 'APIGroupList' });
  });
});

const STORAGE_CLASS = `apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata:
  name: slow
  annotations: { storageclass.kubernetes.io/is-default-class: "true" }
provisioner: disk.example.com
`;
