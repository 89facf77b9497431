// Our API server, sidecars and virtual nodes with the real controller manager and scheduler in the place of ours.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';
import { until } from './until.ts';

const peers = peersFor('a mixed cluster', ['kube-controller-manager', 'kube-scheduler', 'kubectl']);
const WAIT_MS = 180_000;
const CONFIG = `
nodes: 2
components:
  kube-controller-manager: false
  kube-scheduler: false
`;
/** All pods at once, and no minute of grace: what is tried here is who does the work, not how long a pod takes. */
const SET = `
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  replicas: 2
  serviceName: db
  podManagementPolicy: Parallel
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - { name: main, image: db, volumeMounts: [{ name: data, mountPath: /data }] }
  volumeClaimTemplates:
    - metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-mixed-'));
const data = path.join(folder, 'data');
const real: ChildProcess[] = [];
let cluster: StartedCluster | undefined;

const kubectl = (...words: readonly string[]): string => {
  const { code, out, err } = cluster?.kubectl(peers?.kubectl ?? '', ...words) ?? {
    code: 1,
    out: '',
    err: 'no cluster',
  };
  if (code !== 0) throw new Error(err);
  return out.trim();
};
const namesOf = (kind: string): readonly string[] => kubectl('get', kind, '-o', 'name').split('\n').filter(Boolean);

function startReal(name: 'kube-controller-manager' | 'kube-scheduler', ...words: readonly string[]): void {
  const kubeconfig = path.join(data, 'identities', `${name}.kubeconfig`);
  const given = ['--kubeconfig', kubeconfig, '--secure-port=0', ...words];
  real.push(spawn(peers?.[name] ?? '', given, { stdio: 'ignore' }));
}

// skipped: without real programs nothing is mixed
describe.skipIf(peers === undefined)('real controllers in the place of ours', () => {
  beforeAll(async () => {
    const config = path.join(folder, 'cluster.yaml');
    writeFileSync(config, CONFIG);
    cluster = await StartedCluster.start(await builtProgram(folder), data, '--config', config);
    const pki = (file: string): string => path.join(data, 'pki', file);
    const keys = ['--root-ca-file', pki('ca.crt'), '--service-account-private-key-file', pki('sa.key')];
    startReal('kube-controller-manager', '--use-service-account-credentials', ...keys);
    startReal('kube-scheduler');
  }, WAIT_MS);
  afterAll(async () => {
    for (const child of real) child.kill('SIGKILL');
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test(
    'P-MIX-1 ours are switched off -> the real ones lead, our sidecars beside them',
    async () => {
      const holders = (): readonly string[] =>
        kubectl(
          'get',
          'leases',
          '-n',
          'kube-system',
          '-o',
          'jsonpath={range .items[*]}{.metadata.name}={.spec.holderIdentity}{"\\n"}{end}',
        ).split('\n');
      await until(
        'real leaders',
        () => holders().filter((each) => /^kube-(?:controller|sched)/u.test(each)).length === 2,
        WAIT_MS,
      );
      const ours = holders().filter((each) => each.includes('=mooring_'));
      expect(ours.map((each) => each.split('=')[0])).toEqual([
        'disk-mooring-dev',
        'external-attacher-leader-disk-mooring-dev',
        'external-resizer-disk-mooring-dev',
      ]);
    },
    WAIT_MS,
  );

  test(
    'P-MIX-2 a StatefulSet with claims -> Ready; deleted with its claims -> no volume and no attachment is left',
    async () => {
      await until('the account', () => kubectl('get', 'serviceaccount', 'default', '-o', 'name') !== '', WAIT_MS);
      const manifest = path.join(folder, 'set.yaml');
      writeFileSync(manifest, SET);
      kubectl('apply', '-f', manifest);
      kubectl('rollout', 'status', 'statefulset/db', '--timeout=150s');
      expect(namesOf('pvc')).toHaveLength(2);
      expect(namesOf('volumeattachments')).toHaveLength(2);
      kubectl('delete', 'statefulset', 'db', '--wait=true');
      kubectl('delete', 'pvc', '--all', '--wait=true', '--timeout=120s');
      await until(
        'nothing',
        () => ['pods', 'pv', 'volumeattachments'].every((kind) => namesOf(kind).length === 0),
        WAIT_MS,
      );
    },
    WAIT_MS,
  );
});
