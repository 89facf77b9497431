// The real controller manager and scheduler, each with its own rights only, on our server and on a real one at once: what they
// complain about here and not there is our fault.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { ourCluster, realCluster } from './apiserver-controllers-beside.ts';
import { ControllersStory, complaintsIn } from './apiserver-controllers-story.ts';

const peers = peersFor('real controllers beside a real server', [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
]);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-complaints-'));
const stops: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
});

test('P-HTTP-20 lines of a log -> complaints of level E, without what is chance', () => {
  const log = [
    'I1116 02:16:32.669511   17921 a.go:1] "fine"',
    'E1116 02:16:32.669511   17921 a.go:276] "Failed" pod="s/web-5d4f8c9b7d-abcde" err="7 of 127.0.0.1:4433"',
    'E1116 02:16:33.000000   17921 a.go:277] "Failed" pod="s/web-5d4f8c9b7d-fghij" err="8 of 127.0.0.1:4434"',
    'E1116 02:16:33.000000   17921 b.go:1] "Conflict" err="the object has been modified; please apply your changes to the latest version and try again"',
  ];
  expect(complaintsIn(log.join('\n'))).toEqual(['a.go "Failed" pod="s/web-X" err="N of SERVER"']);
});

// skipped: without the real programs there is nobody to complain
describe.skipIf(peers === undefined)('real controllers', () => {
  test('P-HTTP-20 a claim, a rollout, a lost node, a namespace that goes -> no complaint that a real server does not cause', async () => {
    if (peers === undefined) return;
    const started = async (): Promise<readonly ControllersStory[]> => {
      mkdirSync(path.join(folder, 'real'), { recursive: true });
      const real = await realCluster(peers, path.join(folder, 'real'));
      stops.push(() => real.server.stop());
      const ours = await ourCluster(folder);
      stops.push(() => ours.server.stop());
      return [ours, real].map(({ cluster }) => {
        const story = new ControllersStory(cluster, peers);
        stops.push(() => story.stop());
        return story;
      });
    };
    const [ours, real] = await started();
    await Promise.all([ours?.round(), real?.round()]);
    const known = new Set(real?.complaints);
    expect(ours?.complaints.filter((complaint) => !known.has(complaint))).toEqual([]);
  }, 280_000);
});
