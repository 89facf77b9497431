// Cluster files, and the commands around a running cluster, as a user meets them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { type Ran, StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';

const peers = peersFor('kubectl and clusters from files', ['kubectl']);
const KUBECTL = peers?.kubectl ?? '';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-config-'));
let program: string;
let cluster: StartedCluster | undefined;

beforeAll(async () => {
  program = await builtProgram(folder);
}, 180_000);
afterEach(async () => {
  await cluster?.stop('SIGKILL');
  cluster = undefined;
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function mooring(...words: readonly string[]): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

function fileOf(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** The first YAML block of the chapter. */
function guideExample(): string {
  const guide = readFileSync('docs/guide/up.md', 'utf8');
  const chapter = guide.slice(guide.indexOf('## A cluster file'));
  return /```yaml\n(.*?)```/s.exec(chapter)?.[1] ?? expect.fail('the guide has an example');
}

const SMALL = 'nodes: [{ name: one, zone: z }]\n';

describe('mooring up --config', () => {
  test('P-UP-8 a wrong file, none, or one beside --nodes -> one line, exit code 2, nothing written', () => {
    const directory = path.join(folder, 'never');
    const up = (...words: readonly string[]): Ran => mooring('up', '--data-dir', directory, '--port', '0', ...words);
    const wrong = fileOf('wrong.yaml', 'nodes: 2\ndriver: []\n');
    const small = fileOf('small.yaml', SMALL);
    const off = fileOf('off.yaml', `${SMALL}components: { kube-scheduler: off, kubelet: { one: off } }\n`);
    const rows: readonly [readonly string[], string][] = [
      [['--config', wrong], `${wrong}:2:1: unknown key "driver" in a cluster, did you mean "drivers"?\n`],
      [
        ['--config', path.join(folder, 'none.yaml')],
        `mooring: cannot read ${path.join(folder, 'none.yaml')}: ENOENT\n`,
      ],
      [
        ['--config', off, '--speed', '10'],
        'mooring: --speed 10 needs all components to be ours: kube-scheduler, kubelet switched off\n',
      ],
      [['--profile', '2.0'], 'mooring: unknown profile "2.0"; known: '],
    ];
    for (const [words, expected] of rows) {
      const { code, err } = up(...words);
      expect([words, code, err.slice(0, expected.length), err.trim().includes('\n')]).toEqual([
        words,
        2,
        expected,
        false,
      ]);
    }
    expect(up('--config', small, '--nodes', '2').code).toBe(2);
    expect(existsSync(directory)).toBe(false);
  }, 180_000);

  test('P-UP-9 a changed file for a cluster that exists -> more is taken, less is refused; without a file it goes on', async () => {
    const directory = path.join(folder, 'kept');
    cluster = await StartedCluster.start(program, directory, '--config', fileOf('kept.yaml', SMALL));
    expect(cluster.said).toContain('1 node in 1 zone');
    expect(await cluster.stop('SIGINT')).toBe(0);
    const other = mooring('up', '--data-dir', directory, '--config', fileOf('other.yaml', 'nodes: [{ name: two }]\n'));
    expect([other.code, other.err]).toEqual([
      2,
      expect.stringMatching(/^mooring: .*has node "one", the file has not.*\n$/),
    ]);
    const more = fileOf('more.yaml', 'nodes: [{ name: one, zone: z }, { name: two, zone: z }]\n');
    cluster = await StartedCluster.start(program, directory, '--config', more);
    expect(await cluster.stop()).toBe(0);
    cluster = await StartedCluster.start(program, directory);
    expect(cluster.said).toContain('2 nodes in 1 zone;');
    expect(await cluster.stop()).toBe(0);
  }, 180_000);
});

describe('mooring status, down and kubeconfig', () => {
  test('P-UP-11 of a running cluster -> how it stands, its kubeconfig, its end; of none -> exit code 3', async () => {
    const directory = path.join(folder, 'watched');
    const at = ['--data-dir', directory];
    for (const command of ['status', 'down', 'kubeconfig'])
      expect([command, mooring(command, ...at)]).toEqual([
        command,
        { code: 3, out: '', err: expect.stringMatching(/^mooring: no cluster .*\n$/) as string },
      ]);
    cluster = await StartedCluster.start(program, directory, '--speed', '10', '--nodes', '2');
    const status = JSON.parse(mooring('status', ...at, '-o', 'json').out) as Record<string, unknown>;
    expect(status).toMatchObject({ pid: cluster.pid, speed: 10, profile: '1.36.3', faults: [] });
    expect(statSync(path.join(directory, 'running.json')).mode & 0o777).toBe(0o600);
    expect(mooring('status', ...at).out).toMatch(
      /^WHAT +STATUS\ncluster +https:\/\/127\.0\.0\.1:\d+, Kubernetes 1\.36\.3/,
    );
    expect(mooring('status', ...at, '-o', 'yaml').out).toContain('what: attachments');
    expect(mooring('kubeconfig', ...at)).toEqual({ code: 0, out: `${cluster.kubeconfig}\n`, err: '' });
    expect(mooring('kubeconfig', ...at, '--raw').out).toBe(readFileSync(cluster.kubeconfig, 'utf8'));
    expect(JSON.parse(mooring('kubeconfig', ...at, '-o', 'json').out)).toMatchObject({ kind: 'Config' });
    expect(mooring('down', ...at)).toMatchObject({ code: 0, err: '' });
    expect(await cluster.ended).toBe(0);
    expect(mooring('status', ...at).code).toBe(3);
  }, 180_000);

  test('P-UP-1 asked to end several times in a moment, as a terminal and npm do -> it ends in order, with 0', async () => {
    const directory = path.join(folder, 'asked-twice');
    cluster = await StartedCluster.start(program, directory, '--nodes', '1');
    const asked = [cluster.stop('SIGINT'), cluster.stop('SIGINT'), cluster.stop('SIGTERM')];
    expect(await Promise.all(asked)).toEqual([0, 0, 0]);
    expect(mooring('status', '--data-dir', directory).code).toBe(3);
  }, 180_000);

  test('P-UP-12 a data directory whose holder is somebody else -> down leaves it alone', async () => {
    const directory = path.join(folder, 'foreign');
    cluster = await StartedCluster.start(program, directory, '--nodes', '1');
    // As after a kill whose number another process has got since.
    writeFileSync(path.join(directory, 'store', 'holder'), `${process.pid}\n`);
    const { code, err } = mooring('down', '--data-dir', directory);
    expect([code, err]).toEqual([1, expect.stringContaining('it is left alone')]);
    expect(await cluster.stop()).toBe(0);
  }, 180_000);
});

// skipped: without kubectl nobody asks for what the file describes
describe.skipIf(peers === undefined)('the cluster file of the guide', () => {
  test('P-UP-8 started -> nodes, drivers and classes are there as it says', async () => {
    const file = fileOf('guide.yaml', guideExample());
    cluster = await StartedCluster.start(program, path.join(folder, 'guide'), '--config', file);
    const kubectl = (...words: readonly string[]): string => {
      const ran = cluster?.kubectl(KUBECTL, ...words);
      expect([words, ran?.code, ran?.err]).toEqual([words, 0, '']);
      return ran?.out ?? '';
    };
    kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=60s');
    expect(kubectl('get', 'nodes', '-L', 'topology.kubernetes.io/zone,disk', '--no-headers')).toMatch(
      /^db-1 +Ready .* east +fast\ndb-2 +Ready .* west *\nghost +Ready .* west *\nweb-1 +Ready .* west *\n$/,
    );
    expect(kubectl('get', 'node', 'db-1', '-o', 'jsonpath={.status.capacity.cpu} {.status.capacity.pods}')).toBe(
      '8 20',
    );
    expect(kubectl('get', 'node', 'db-2', '-o', 'jsonpath={.spec.taints[*].key}')).toBe('only');
    expect(kubectl('get', 'csidrivers', '-o', 'jsonpath={.items[*].spec.attachRequired}')).toBe('true false');
    expect(kubectl('get', 'sc,vac', '-o', 'name')).toBe(
      [
        'storageclass.storage.k8s.io/fast',
        'storageclass.storage.k8s.io/share',
        'volumeattributesclass.storage.k8s.io/many-iops\n',
      ].join('\n'),
    );
    expect(await cluster?.stop('SIGINT')).toBe(0);
  }, 180_000);
});
