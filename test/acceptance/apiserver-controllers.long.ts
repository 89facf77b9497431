// Ten minutes of the controllers' story, over and over, on our server and on a real one at once.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reportFigure } from '../../scripts/long/report.ts';
import { type PeerName, findPeer } from '../peers-found.ts';
import { ourCluster, realCluster } from './apiserver-controllers-beside.ts';
import { ControllersStory } from './apiserver-controllers-story.ts';

const RUN_MS = 10 * 60_000;

function peer(name: PeerName): string {
  const found = findPeer(name);
  if (found === undefined) throw new Error(`no ${name}: scripts/peers.sh ${name} builds it`);
  return found;
}

async function told(story: ControllersStory): Promise<number> {
  let rounds = 0;
  for (const end = performance.now() + RUN_MS; performance.now() < end; rounds += 1) await story.round();
  return rounds;
}

const peers = {
  etcd: peer('etcd'),
  'kube-apiserver': peer('kube-apiserver'),
  'kube-controller-manager': peer('kube-controller-manager'),
  'kube-scheduler': peer('kube-scheduler'),
};
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-complaints-'));
const stops: (() => Promise<unknown>)[] = [];
try {
  mkdirSync(path.join(folder, 'real'));
  const real = await realCluster(peers, path.join(folder, 'real'));
  stops.push(() => real.server.stop());
  const ours = await ourCluster(folder);
  stops.push(() => ours.server.stop());
  const here = new ControllersStory(ours.cluster, peers);
  stops.push(() => here.stop());
  const there = new ControllersStory(real.cluster, peers);
  stops.push(() => there.stop());
  const [ourRounds, realRounds] = await Promise.all([told(here), told(there)]);
  const known = new Set(there.complaints);
  const ourOwn = here.complaints.filter((complaint) => !known.has(complaint));
  reportFigure({ name: 'rounds here and on a real server', value: `${ourRounds}, ${realRounds}` });
  reportFigure({ name: 'complaints here and on a real server', value: `${here.complaints.length}, ${known.size}` });
  reportFigure({ name: 'complaints that only we cause', value: ourOwn.length === 0 ? 'none' : ourOwn.join(' | ') });
  if (ourOwn.length > 0) process.exitCode = 1;
} finally {
  for (const stop of stops.toReversed()) await stop();
  rmSync(folder, { recursive: true, force: true });
}
