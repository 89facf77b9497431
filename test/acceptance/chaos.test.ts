// `mooring chaos` as a user meets it, and the same with kubectl alone.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { type Ran, StartedCluster } from './started-cluster.ts';
import { builtProgram } from './started-server.ts';

const peers = peersFor('kubectl and chaos', ['kubectl']);
const KUBECTL = peers?.kubectl ?? '';
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-chaos-'));
const directory = path.join(folder, 'c');
let program: string;
let cluster: StartedCluster;

function chaos(...words: readonly string[]): Ran {
  const given = [program, 'chaos', ...words, '--data-dir', directory];
  const { status, stdout, stderr } = spawnSync(process.execPath, given, { encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}
const listed = (): readonly Readonly<Record<string, string>>[] =>
  JSON.parse(chaos('list', '-o', 'json').out) as readonly Readonly<Record<string, string>>[];

beforeAll(async () => {
  program = await builtProgram(folder);
  cluster = await StartedCluster.start(program, directory, '--speed', '30');
}, 120_000);
afterAll(async () => {
  await cluster?.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

describe('mooring chaos', () => {
  test('P-CHAOS-7 a node that crashes, returns; a component that restarts -> in force, ended, done', () => {
    const crashed = chaos('node', 'crash', 'node-a');
    expect([crashed.code, crashed.err]).toEqual([0, '']);
    expect(crashed.out).toMatch(/^node-a-crash-\w+: node-crash of node-a in force; mooring chaos clear node-a-crash-/);
    expect(listed()).toMatchObject([{ type: 'node-crash', target: 'node-a', state: 'Active' }]);
    expect(chaos('node', 'return', 'node-a').out).toMatch(/: node-return of node-a done\n$/);
    const restarted = chaos('component', 'restart', 'kube-scheduler');
    expect([restarted.code, restarted.out]).toEqual([
      0,
      expect.stringMatching(/: component-restart of kube-scheduler done\n$/),
    ]);
    expect(listed().map(({ type, state, message }) => `${type} ${state}: ${message}`)).toEqual([
      'component-restart Ended: it is done',
      'node-crash Ended: the node returned',
      'node-return Ended: it is done',
    ]);
    expect(chaos('clear').out.match(/^cleared /gm)).toHaveLength(3);
  }, 60_000);

  test('P-CHAOS-7 calls that hang, fail or are slow, with and without an end -> listed, and cleared by name', () => {
    expect(chaos('csi', 'fail', 'NodeStageVolume', '--code', 'INTERNAL', '--for', '1h').code).toBe(0);
    expect(chaos('csi', 'slow', 'CreateVolume', '--by', '1m', '--driver', 'disk.mooring.dev').code).toBe(0);
    const { out } = chaos('list');
    expect(out).toMatch(/^NAME +WHAT +TARGET +STATE +BEGAN +NOTE\n/);
    expect(out).toMatch(/^createvolume-slow-\w+ +csi-slow +CreateVolume of disk\.mooring\.dev +Active +20\S+Z\n/m);
    expect(out).toMatch(/^nodestagevolume-fail-\w+ +csi +NodeStageVolume +Active +20\S+Z +for 1h\n/m);
    const [slow = ''] = listed().map(({ name }) => name);
    expect(chaos('clear', slow ?? '').out).toBe(`cleared ${slow}\n`);
    expect(listed().map(({ type }) => type)).toEqual(['csi']);
    expect(chaos('clear').code).toBe(0);
    expect(chaos('list').out).toBe('no faults\n');
  }, 60_000);

  const WRONG: readonly (readonly [readonly string[], number, RegExp])[] = [
    [
      ['node', 'crash', 'node-x'],
      1,
      /^mooring: spec\.node: .*"node-x": supported values: "node-a", "node-b", "node-c"\n$/,
    ],
    [['csi', 'hang', 'Stage'], 1, /^mooring: spec\.call: .*"Stage": supported values: .*"NodeStageVolume".*\n$/],
    [['component', 'restart', 'nobody'], 1, /^mooring: spec\.component: .*"kube-scheduler".*\n$/],
    [['node', 'freeze', 'node-a', '--for', 'soon'], 1, /^mooring: spec\.duration: Invalid value: "soon".*\n$/],
    [['clear', 'nothing'], 1, /^mooring: no fault nothing: there is none\n$/],
    [['node', 'explode', 'node-a'], 2, /Allowed choices are crash, freeze, partition, return/],
  ];
  test.each(WRONG)('P-CHAOS-7 %j -> exit %i and one line that says what would do', (words, code, message) => {
    const ran = chaos(...words);
    expect([ran.code, ran.out]).toEqual([code, '']);
    expect(ran.err).toMatch(message);
  });

  test('P-CHAOS-7 no cluster there -> one line', () => {
    const ran = (...words: readonly string[]): Ran => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'chaos', 'list', ...words], {
        encoding: 'utf8',
      });
      return { code: status, out: stdout, err: stderr };
    };
    expect(ran('--data-dir', path.join(folder, 'none'))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^mooring: no cluster was started in .*\n$/) as unknown,
    });
  });
});

// skipped: without kubectl there is nobody to apply anything
describe.skipIf(peers === undefined)('kubectl and faults', () => {
  const kubectl = (...words: readonly string[]): Ran => cluster.kubectl(KUBECTL, ...words);

  test('P-CHAOS-1 get, describe, delete -> a fault is an object like any other, and its node tells of it', () => {
    expect(chaos('node', 'freeze', 'node-b').code).toBe(0);
    expect(kubectl('wait', '--for=condition=Ready=Unknown', 'node/node-b', '--timeout=20s').code).toBe(0);
    expect(kubectl('get', 'faults').out).toMatch(
      /^NAME +WHAT +TARGET +STATE +AGE\nnode-b-freeze-\w+ +node-freeze +node-b +Active +\S+\n$/,
    );
    expect(kubectl('describe', 'node', 'node-b').out).toMatch(/Warning +FaultBegan .* node-freeze of node-b begins/);
    expect(kubectl('explain', 'fault.spec.duration').out).toMatch(/How long, in time of the cluster/);
    expect(kubectl('delete', 'faults', '--all').code).toBe(0);
    expect(kubectl('wait', '--for=condition=Ready', 'node/node-b', '--timeout=20s').code).toBe(0);
    expect(chaos('list').out).toBe('no faults\n');
  }, 60_000);
});
