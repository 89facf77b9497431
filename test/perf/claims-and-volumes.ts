// A world with the server and the PV controller alone, and as many volumes as claims.
import { setMaxListeners } from 'node:events';
import { defaultAdmission } from '../../src/apiserver/admission/plugins.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { persistentVolumeController } from '../../src/controlplane/persistentvolume/persistentvolume.ts';
import type { Cluster, Draft } from '../../src/kube/cluster.ts';
import { type PersistentVolume, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';

/** Sizes in use: few enough that many volumes tie, as on a real shelf. */
const SIZES_GI = 50;

export interface BindingWorld {
  /** Commits made by `bindAll`. */
  readonly commits: () => number;
  bindAll(): Promise<void>;
}

export async function claimsAndVolumes(
  count: number,
  wrap: (cluster: Cluster) => Cluster = (cluster) => cluster,
): Promise<BindingWorld> {
  const clock = new SteppedClock(Date.UTC(2026, 0, 1));
  const random = new SeededRandom('bench');
  const counted = { commits: 0 };
  const server = new ApiServer({
    clock,
    random,
    store: new ObjectStore(),
    strategies: defaultStrategies(),
    admission: defaultAdmission(),
    onCommit: () => void counted.commits++,
  });
  server.bootstrap();
  const access = new LocalClusterAccess({ server, clock });
  const user = access.as('user');
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  persistentVolumeController({}).start({
    clock,
    random,
    cluster: wrap(access.as('persistentvolume-controller')),
    timeline: new RecordedTimeline(1000),
    log: silentLog,
    signal: stop.signal,
  });
  for (let index = 0; index < count; index++) await user.create(PersistentVolumes, volume(index));
  await clock.advanceTo(clock.now() + MINUTE_MS);
  return {
    commits: () => counted.commits,
    bindAll: async () => {
      counted.commits = 0;
      for (let index = 0; index < count; index++) await user.create(PersistentVolumeClaims, claim(index));
      await clock.advanceTo(clock.now() + 30 * SECOND_MS);
      const { items } = await user.list(PersistentVolumeClaims);
      const bound = items.filter(({ status }) => status.phase === 'Bound').length;
      stop.abort();
      if (bound !== count) throw new Error(`${bound} of ${count} claims are bound`);
    },
  };
}

function volume(index: number): Draft<PersistentVolume> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `volume-${index}` },
    spec: {
      capacity: { storage: `${(index % SIZES_GI) + 1}Gi` },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'shelf',
      nfs: { server: 'nas', path: `/${index}` },
    },
  };
}

function claim(index: number): Draft<PersistentVolumeClaim> {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `claim-${index}`, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'shelf',
      resources: { requests: { storage: `${(index % SIZES_GI) + 1}Gi` } },
    },
  };
}
