// What the API server adds to a write. The ceiling is a bare Map that is given frozen objects of the same bytes: no
// authorization, no admission, no defaults, no validation, no history, no watch.
import { performance } from 'node:perf_hooks';
import { reportRatio } from '../../scripts/bench/ratios.ts';
import { defaultAdmission } from '../../src/apiserver/admission/plugins.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { deepFreeze } from '../../src/kube/deep-freeze.ts';
import type { KubeObject, Resource } from '../../src/kube/object.ts';
import { PersistentVolumeClaims } from '../../src/kube/resources/persistent-volume-claim.ts';

const OBJECTS = 20_000;
const ROUNDS = 5;
const USER = { name: 'bench', groups: ['system:masters'] };
const claims = PersistentVolumeClaims as unknown as Resource<KubeObject>;

const draft = (index: number): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `claim-${index}`, namespace: 'default', labels: { app: 'web', tier: 'data' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage: '10Gi' } } },
  });
const texts = Array.from({ length: OBJECTS }, (_, index) => draft(index));
const parsed = (): object[] => texts.map((text) => JSON.parse(text) as object);

function bareMap(): number {
  const objects = parsed();
  const map = new Map<string, object>();
  const startedAt = performance.now();
  objects.forEach((object, index) =>
    map.set(`default/claim-${index}`, deepFreeze({ ...object, resourceVersion: String(index) })),
  );
  return performance.now() - startedAt;
}

function throughServer(): number {
  const server = new ApiServer({
    clock: new SteppedClock(0),
    random: new SeededRandom(1),
    store: new ObjectStore(),
    strategies: defaultStrategies(),
    admission: defaultAdmission(),
  });
  server.bootstrap();
  const objects = parsed();
  const startedAt = performance.now();
  for (const object of objects) server.handle({ verb: 'create', resource: claims, namespace: 'default', object }, USER);
  return performance.now() - startedAt;
}

let [map, server] = [Infinity, Infinity];
for (let round = 0; round < ROUNDS; round++) {
  map = Math.min(map, bareMap());
  server = Math.min(server, throughServer());
}
const rate = (ms: number): string => `${Math.round(OBJECTS / (ms / 1000)).toLocaleString('en')} a second`;
reportRatio({
  name: 'commit',
  ratio: server / map,
  measured: `${rate(server)} through the server`,
  against: `${rate(map)} into a bare Map`,
});
