import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import { defaultStrategies } from '../registry/strategies.ts';
import { tableStrategies } from '../registry/table-kinds.ts';
import { ensureSystemObjects, systemObjects } from './system-objects.ts';

const clock = new SteppedClock(Date.UTC(2026, 0, 1));
const place = (port: number) => ({ clock, port, authority: 'PEM' });
const ADMIN = { name: 'admin', groups: ['system:masters'] };

function newServer(): ApiServer {
  const own = defaultStrategies();
  const strategies = [...own, ...tableStrategies(own)];
  const server = new ApiServer({ clock, random: new SeededRandom('1'), store: new ObjectStore(), strategies });
  server.bootstrap();
  return server;
}

function read(server: ApiServer, plural: string, key: string): Record<string, unknown> {
  const resource = server.resources.find((each) => each.plural === plural);
  if (resource === undefined) throw new Error(`no ${plural}`);
  const answer = server.handle({ verb: 'get', resource, key }, ADMIN);
  return answer.type === 'object' ? { ...answer.object } : {};
}

test('P-SYS-1 a new server -> every object of the list is there', async () => {
  const server = newServer();
  await ensureSystemObjects(server, place(6443));
  for (const { apiVersion, kind, metadata } of systemObjects(place(6443))) {
    const resource = server.resources.find(
      (each) => each.kind === kind && apiVersion.endsWith(each.version) && apiVersion.startsWith(each.group),
    );
    const key = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
    expect(read(server, resource?.plural ?? kind, key)).toMatchObject({ kind });
  }
});

test('P-SYS-2 started again on another port -> the service leads there, what was changed by others stays', async () => {
  const server = newServer();
  await ensureSystemObjects(server, place(6443));
  const resource = server.resources.find(({ plural }) => plural === 'priorityclasses');
  if (resource === undefined) throw new Error('no priority classes');
  const body = { description: 'ours' };
  server.handle({ verb: 'patch', resource, key: 'system-node-critical', patch: { type: 'merge', body } }, ADMIN);
  await ensureSystemObjects(server, place(7443));
  expect(read(server, 'services', 'default/kubernetes')).toMatchObject({ spec: { ports: [{ targetPort: 7443 }] } });
  expect(read(server, 'priorityclasses', 'system-node-critical')).toMatchObject(body);
});
