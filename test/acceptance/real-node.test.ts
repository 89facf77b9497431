// A real kubelet with containerd joins a cluster of ours beside a virtual node. Needs root; see real-node.sh.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';
import { until } from './until.ts';

const peers = peersFor('a real node', ['kubelet', 'kubectl']);
const NODE = 'real-1';
const ADDRESS = '10.123.7.1';
const WAIT_MS = 120_000;
const SCRIPT = 'test/acceptance/real-node.sh';

/** Why no container can be run here; undefined if one can. */
function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may mount and make cgroups';
  const missing = ['containerd', 'ctr', 'runc', 'busybox', 'ip'].filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  );
  if (!existsSync('/usr/lib/cni/ptp')) missing.push('containernetworking-plugins');
  return missing.length === 0 ? undefined : `no ${missing.join(', ')}`;
}
const why = obstacle();
test('a real node: the machine can run containers, or need not', () => {
  expect(process.env['MOORING_REQUIRE_TOOLS'] === '1' ? why : undefined).toBeUndefined();
});
if (why !== undefined) process.stderr.write(`SKIPPED: a real node: ${why}\n`);

const CONFIG = `
nodes:
  - { name: node-a, zone: zone-1 }
  - { name: ${NODE}, zone: zone-1 }
components:
  kubelet: { ${NODE}: false }
`;
const POD = (name: string, node: string, command: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 1
  dnsPolicy: Default
  nodeSelector: { kubernetes.io/hostname: ${node} }
  containers:
    - { name: main, image: 'localhost/busybox:1', imagePullPolicy: Never, command: [sh, -c, '${command}'] }
`;

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-node-'));
const home = path.join(folder, 'node');
let cluster: StartedCluster | undefined;

const script = (verb: 'start' | 'stop', ...more: readonly string[]): string =>
  execFileSync('bash', [SCRIPT, verb, NODE, ADDRESS, home, ...more], {
    encoding: 'utf8',
    env: { ...process.env, KUBELET: peers?.kubelet ?? '' },
  });
const kubectl = (...words: readonly string[]): string => {
  const { code, out, err } = cluster?.kubectl(peers?.kubectl ?? '', ...words) ?? {
    code: 1,
    out: '',
    err: 'no cluster',
  };
  if (code !== 0) throw new Error(err);
  return out;
};
const apply = (name: string, text: string): void => {
  const file = path.join(folder, `${name}.yaml`);
  writeFileSync(file, text);
  kubectl('apply', '-f', file);
};
const phaseOf = (pod: string): string => kubectl('get', 'pod', pod, '-o', 'jsonpath={.status.phase}');

// skipped: containers need root and containerd
describe.skipIf(peers === undefined || why !== undefined)('a real kubelet in our cluster', () => {
  beforeAll(async () => {
    const config = path.join(folder, 'cluster.yaml');
    writeFileSync(config, CONFIG);
    const data = path.join(folder, 'data');
    cluster = await StartedCluster.start(await builtProgram(folder), data, '--config', config);
    const identity = path.join(data, 'identities', `kubelet-${NODE}.kubeconfig`);
    script('start', identity, path.join(data, 'pki', 'ca.crt'));
  }, WAIT_MS);
  afterAll(async () => {
    try {
      kubectl('delete', 'pod', '--all', '--wait=true', '--timeout=30s');
    } finally {
      script('stop');
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, WAIT_MS);

  test(
    'P-MIX-3 it starts -> its node is Ready beside a virtual one',
    async () => {
      const ready = 'jsonpath={.items[?(@.status.conditions[-1].status=="True")].metadata.name}';
      await until('nodes', () => kubectl('get', 'nodes', '-o', ready) === `node-a ${NODE}`, WAIT_MS);
      const runtime = 'jsonpath={.status.nodeInfo.containerRuntimeVersion} {.status.addresses[0].address}';
      expect(kubectl('get', 'node', NODE, '-o', runtime)).toMatch(/^containerd:\S+ 10\.123\.7\.1$/u);
    },
    WAIT_MS,
  );

  test(
    'P-MIX-3 a pod that ends -> Succeeded, and kubectl reads what it said',
    async () => {
      apply('short', POD('short', NODE, 'echo said by a real container'));
      await until('a pod that ended', () => phaseOf('short') === 'Succeeded', WAIT_MS);
      expect(kubectl('logs', 'short')).toBe('said by a real container\n');
    },
    WAIT_MS,
  );

  test(
    'P-MIX-3 a pod that stays -> kubectl exec runs in it, and what its kubelet asked for was allowed',
    async () => {
      apply('long', POD('long', NODE, 'while :; do sleep 1; done'));
      await until('a running pod', () => phaseOf('long') === 'Running', WAIT_MS);
      expect(kubectl('exec', 'long', '--', 'cat', '/var/run/secrets/kubernetes.io/serviceaccount/namespace')).toBe(
        'default',
      );
      expect(readFileSync(path.join(home, 'kubelet.log'), 'utf8')).not.toMatch(/forbidden/iu);
    },
    WAIT_MS,
  );
});
