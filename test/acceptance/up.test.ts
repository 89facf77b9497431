// `mooring up` as a user meets it: real kubectl applies an ordinary StatefulSet to a cluster that is one process.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { type Ran, StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';

const peers = peersFor('kubectl and a whole cluster', ['kubectl']);
const KUBECTL = peers?.kubectl ?? '';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-up-'));
const directoryOf = (name: string): string => path.join(folder, name);
let program: string;
let cluster: StartedCluster | undefined;

beforeAll(async () => {
  program = await builtProgram(folder);
}, 120_000);
afterEach(async () => {
  await cluster?.stop('SIGKILL');
  cluster = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(name: string, ...words: readonly string[]): Promise<StartedCluster> {
  cluster = await StartedCluster.start(program, directoryOf(name), ...words);
  return cluster;
}

function mooring(...words: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

describe('mooring up', () => {
  test('P-UP-1 started -> says where the kubeconfig is and what to try; Ctrl-C -> ends with 0', async () => {
    const kubeconfigOut = path.join(folder, 'kubeconfig-elsewhere');
    const running = await start('plain', '--kubeconfig-out', kubeconfigOut);
    expect(running.said).toContain('3 nodes in 2 zones');
    expect(running.said).toContain(`export KUBECONFIG=${running.kubeconfig}\n`);
    expect(running.said.match(/^ {2}kubectl .+$/gm)).toHaveLength(3);
    expect(running.said).not.toContain('\u001B');
    expect(readFileSync(kubeconfigOut, 'utf8')).toBe(readFileSync(running.kubeconfig, 'utf8'));
    expect(statSync(kubeconfigOut).mode & 0o777).toBe(0o600);
    expect(await running.stop('SIGINT')).toBe(0);
    expect(existsSync(path.join(running.directory, 'store', 'holder'))).toBe(false);
  }, 60_000);

  test('P-UP-2 a second one on the same directory, another size, or nonsense -> one line, no stack trace', async () => {
    const running = await start('refusals', '--nodes', '2', '--zones', '1');
    const again = mooring('up', '--data-dir', running.directory, '--port', '0');
    expect([again.code, again.err]).toEqual([
      1,
      expect.stringMatching(/^mooring: .* is in use by another server.*\n$/),
    ]);
    expect(await running.stop()).toBe(0);
    const larger = mooring('up', '--data-dir', running.directory, '--nodes', '3');
    expect([larger.code, larger.err]).toEqual([2, expect.stringMatching(/^mooring: .*2 nodes in 1 zones.*\n$/)]);
    expect(mooring('up', '--data-dir', directoryOf('none'), '--nodes', '1', '--zones', '2').code).toBe(2);
    for (const words of [
      ['--nodes', '0'],
      ['--nodes', 'x'],
      ['--speed', '0'],
      ['--speed', '1e9'],
      ['--port', '70000'],
    ])
      expect([words, mooring('up', '--data-dir', directoryOf('none'), ...words).code]).toEqual([words, 2]);
  }, 60_000);
});

// skipped: without kubectl there is nobody to apply anything
describe.skipIf(peers === undefined)('mooring up and kubectl', () => {
  const kubectl = (...words: readonly string[]): string => {
    const ran = cluster?.kubectl(KUBECTL, ...words);
    expect([words, ran?.code, ran?.err]).toEqual([words, 0, expect.any(String)]);
    return ran?.out ?? '';
  };
  const applyExample = (): void => {
    kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=30s');
    expect(kubectl('apply', '-f', path.join(cluster?.directory ?? '', 'example.yaml'))).toContain('statefulset');
  };
  const rolledOut = (): void => {
    expect(kubectl('rollout', 'status', 'statefulset/db', '--timeout=100s')).toContain('roll out complete');
  };

  test('P-UP-3 a StatefulSet with claims -> pods Ready on attached volumes; deleted -> all of it goes', async () => {
    await start('works');
    applyExample();
    rolledOut();
    expect(kubectl('get', 'nodes', '-L', 'topology.kubernetes.io/zone', '--no-headers')).toMatch(
      /^node-a +Ready .* zone-1\nnode-b +Ready .* zone-1\nnode-c +Ready .* zone-2\n$/,
    );
    expect(kubectl('get', 'pods', '--no-headers')).toMatch(/^db-0 +1\/1 +Running .*\ndb-1 +1\/1 +Running .*\n$/);
    expect(kubectl('get', 'pvc', '--no-headers')).toMatch(/^data-db-0 +Bound .* standard .*\ndata-db-1 +Bound .*\n$/);
    expect(kubectl('get', 'volumeattachments', '-o', 'jsonpath={.items[*].status.attached}')).toBe('true true');
    expect(kubectl('get', 'serviceaccount,configmap', '-o', 'name')).toBe(
      'serviceaccount/default\nconfigmap/kube-root-ca.crt\n',
    );
    kubectl('delete', '-f', path.join(cluster?.directory ?? '', 'example.yaml'), '--timeout=60s');
    kubectl('delete', 'pvc', '--all', '--timeout=60s');
    kubectl('wait', '--for=delete', 'pv', '--all', '--timeout=60s');
    kubectl('wait', '--for=delete', 'volumeattachments', '--all', '--timeout=60s');
    expect(await cluster?.stop('SIGINT')).toBe(0);
  }, 180_000);

  test('P-UP-4 drain, cordon, taint -> as on any cluster; logs, exec -> told in sentences', async () => {
    await start('drained', '--nodes', '2', '--zones', '1', '--speed', '10');
    applyExample();
    rolledOut();
    const node = kubectl('get', 'pod', 'db-0', '-o', 'jsonpath={.spec.nodeName}');
    kubectl('drain', node, '--ignore-daemonsets', '--timeout=60s');
    rolledOut();
    expect(kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}').split(' ')).not.toContain(node);
    expect(kubectl('uncordon', node)).toContain('uncordoned');
    expect(kubectl('cordon', node)).toContain('cordoned');
    expect(kubectl('taint', 'node', node, 'gone=yes:NoSchedule')).toContain('tainted');
    expect(kubectl('logs', 'db-0')).toContain('is a virtual node');
    expect(cluster?.kubectl(KUBECTL, 'exec', 'db-0', '--', 'ls').err).toContain('is a virtual node');
  }, 180_000);

  test('P-UP-5 kill -9 and a start on the same directory -> the cluster goes on with its volumes', async () => {
    await start('killed', '--speed', '10');
    applyExample();
    rolledOut();
    const volumes = kubectl('get', 'pvc', '-o', 'jsonpath={.items[*].spec.volumeName}');
    const uid = kubectl('get', 'pod', 'db-0', '-o', 'jsonpath={.metadata.uid}');
    const renewal = (): string =>
      kubectl('-n', 'kube-node-lease', 'get', 'lease', 'node-a', '-o', 'jsonpath={.spec.renewTime}');
    const renewedAt = renewal();
    await cluster?.stop('SIGKILL');
    await start('killed', '--speed', '5');
    kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s');
    kubectl('wait', '--for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=True', 'pod/db-0', '--timeout=60s');
    kubectl('scale', 'statefulset/db', '--replicas=3');
    rolledOut();
    expect(kubectl('get', 'pvc', '-o', 'jsonpath={.items[*].spec.volumeName}')).toContain(volumes);
    expect(kubectl('get', 'pod', 'db-0', '-o', 'jsonpath={.metadata.uid}')).toBe(uid);
    // It ran ahead of its machine, and time does not go back.
    expect(renewal() > renewedAt).toBe(true);
    expect(await cluster?.stop()).toBe(0);
  }, 240_000);
});
