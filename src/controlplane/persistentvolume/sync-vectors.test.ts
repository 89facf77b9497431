import { describe, expect, it } from 'vitest';
import { type Given, SyncBench } from '../../../test/persistentvolume/sync-bench.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type ClassParts, type VolumeParts } from '../../volume/makers.ts';
import { VolumeInUseError, type VolumePlugin } from './volume-plugin.ts';

interface Vector {
  readonly given: Given;
  /** `claim` syncs claim c, anything else the volume of that name. */
  readonly sync?: string;
  readonly plugins?: readonly VolumePlugin[];
  readonly writes: readonly string[];
  readonly events?: readonly string[];
  /** What differs from before, if anything. */
  readonly stored?: readonly string[];
  readonly enqueued?: readonly string[];
  readonly fails?: string;
}

const BIND = ['PV v', 'PV v status', 'PVC c', 'PVC c status'];
const BOUND = ['PV v 1Gi c/u Bound BBC', 'PVC c 1Gi v Bound BBC BC cap=1Gi RWO,ROX'];
const NO_CLASS =
  'Normal FailedBinding on c: no persistent volumes available for this claim and no storage class is set';
const TAKEN = 'Warning FailedBinding on c: volume "v" already bound to a different claim.';
const mismatch = (why: string) => `Warning VolumeMismatch on c: Cannot bind to requested volume "v": ${why}`;
const bound = { phase: 'Bound', status: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } };
const WAIT: readonly ClassParts[] = [{ name: 'wait', wait: true }];
const HELD: VolumeParts = { size: '10Gi', claim: 'c/u', phase: 'Bound' };

const ok = (): Promise<void> => Promise.resolve();
const fake = (parts: Partial<VolumePlugin>): readonly VolumePlugin[] => [
  { name: 'kubernetes.io/fake', canSupport: () => true, ...parts },
];
const EXTERNAL =
  "Waiting for a volume to be created either by the external provisioner 'vendor.com/my-volume' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";

const VECTORS: Readonly<Record<string, Vector>> = {
  'T01 a volume fits -> four writes in order': {
    given: { volumes: [{}], claims: [{}] },
    writes: BIND,
    stored: BOUND,
  },
  'T02 request too large -> only an event': {
    given: { volumes: [{}], claims: [{ size: '10Gi' }] },
    writes: [],
    events: [NO_CLASS],
  },
  'T03 phase Bound but never completed -> Pending, status cleared': {
    given: { volumes: [{}], claims: [{ size: '10Gi', ...bound }] },
    writes: ['PVC c status'],
    events: [NO_CLASS],
    stored: ['PV v 1Gi - Available', 'PVC c 10Gi - Pending'],
  },
  'T04 two fit -> the smaller is bound, the other untouched': {
    given: { volumes: [{ name: 'a', size: '10Gi' }, {}], claims: [{}] },
    writes: BIND,
    stored: ['PV a 10Gi - Available', ...BOUND],
  },
  'T05 pre-bound by name -> no BBC on the volume, its size on the claim': {
    given: { volumes: [{ size: '10Gi', claim: 'c' }, { name: 'w' }], claims: [{}] },
    writes: BIND,
    stored: ['PV v 10Gi c/u Bound', 'PV w 1Gi - Available', 'PVC c 1Gi v Bound BBC BC cap=10Gi RWO,ROX'],
  },
  'T06 claimRef with another uid -> not used': {
    given: { volumes: [{ size: '10Gi', claim: 'c/other' }], claims: [{}] },
    writes: [],
    events: [NO_CLASS],
  },
  'T07 crash after step 1 -> three writes': {
    given: { volumes: [{ claim: 'c/u', bbc: true }], claims: [{}] },
    writes: BIND.slice(1),
    stored: BOUND,
  },
  'T08 crash after step 2 -> two writes': {
    given: { volumes: [{ claim: 'c/u', phase: 'Bound', bbc: true }], claims: [{}] },
    writes: BIND.slice(2),
    stored: BOUND,
  },
  'T09 crash after step 3 -> one write': {
    given: {
      volumes: [{ claim: 'c/u', phase: 'Bound', bbc: true }],
      claims: [{ volumeName: 'v', bbc: true, bc: true }],
    },
    writes: BIND.slice(3),
    stored: BOUND,
  },
  'T10 labels match -> bound': {
    given: { volumes: [{ labels: { x: 'y' } }], claims: [{ selector: { matchLabels: { x: 'y' } } }] },
    writes: BIND,
    stored: BOUND,
  },
  'T11 labels do not match -> only an event': {
    given: { volumes: [{}], claims: [{ selector: { matchLabels: { x: 'y' } } }] },
    writes: [],
    events: [NO_CLASS],
  },
  'T12 class waits, no pod -> WaitForFirstConsumer': {
    given: { volumes: [{ className: 'wait' }], claims: [{ className: 'wait' }], classes: WAIT },
    writes: [],
    events: ['Normal WaitForFirstConsumer on c: waiting for first consumer to be created before binding'],
  },
  'T13 class waits, an unscheduled pod -> WaitForPodScheduled': {
    given: {
      volumes: [{ className: 'wait' }],
      claims: [{ className: 'wait' }],
      classes: WAIT,
      pods: [
        { name: 'p1', claims: ['c'] },
        { name: 'p0', claims: ['c'], phase: 'Failed' },
      ],
    },
    writes: [],
    events: ['Normal WaitForPodScheduled on c: waiting for pod p1 to be scheduled'],
  },
  'T14 class waits, pre-bound volume -> bound': {
    given: { volumes: [{ className: 'wait', claim: 'c' }], claims: [{ className: 'wait' }], classes: WAIT },
    writes: BIND,
    stored: ['PV v 1Gi c/u Bound wait', 'PVC c 1Gi v Bound wait BBC BC cap=1Gi RWO,ROX'],
  },
  'T15 named volume lacks the mode -> VolumeMismatch': {
    given: { volumes: [{}], claims: [{ volumeName: 'v', modes: ['ReadWriteMany'] }] },
    writes: [],
    events: [mismatch('incompatible accessMode')],
  },
  'T16 Pending, Failed and Released volumes -> not used': {
    given: {
      volumes: [
        { name: 'p', phase: 'Pending' },
        { name: 'f', phase: 'Failed' },
        { name: 'r', phase: 'Released' },
      ],
      claims: [{}],
    },
    writes: [],
    events: [NO_CLASS],
  },
  'T17 named volume does not exist -> Pending without event': {
    given: { claims: [{ volumeName: 'ghost', ...bound }] },
    writes: ['PVC c status'],
    stored: ['PVC c 1Gi ghost Pending'],
  },
  'T18 named volume is free -> BBC on the volume, not on the claim': {
    given: { volumes: [{}], claims: [{ volumeName: 'v' }] },
    writes: BIND,
    stored: ['PV v 1Gi c/u Bound BBC', 'PVC c 1Gi v Bound BC cap=1Gi RWO,ROX'],
  },
  'T19 named volume belongs to another -> Pending': {
    given: { volumes: [{ claim: 'c1/u1', phase: 'Bound' }], claims: [{ volumeName: 'v', ...bound }] },
    writes: ['PVC c status'],
    events: [TAKEN],
    stored: ['PV v 1Gi c1/u1 Bound', 'PVC c 1Gi v Pending'],
  },
  'T20 as T19, but the link was ours -> error, nothing written': {
    given: { volumes: [{ claim: 'c1/u1', phase: 'Bound' }], claims: [{ volumeName: 'v', bbc: true, ...bound }] },
    writes: [],
    events: [TAKEN],
    fails: 'invalid binding of claim "default/c" to volume "v": volume already claimed by "default/c1"',
  },
  'T21 named volume too small -> Pending': {
    given: { volumes: [{}], claims: [{ size: '2Gi', volumeName: 'v', ...bound }] },
    writes: ['PVC c status'],
    events: [mismatch('requested PV is too small')],
    stored: ['PV v 1Gi - Available', 'PVC c 2Gi v Pending'],
  },
  'T22 named volume of another class -> VolumeMismatch': {
    given: { volumes: [{ className: 'gold' }], claims: [{ volumeName: 'v' }] },
    writes: [],
    events: [mismatch('storageClassName does not match')],
  },
  'T23 the smaller has a class -> the one without': {
    given: { volumes: [{ name: 'a', className: 'gold' }, { size: '10Gi' }], claims: [{}] },
    writes: BIND,
    stored: ['PV a 1Gi - Available gold', 'PV v 10Gi c/u Bound BBC', 'PVC c 1Gi v Bound BBC BC cap=10Gi RWO,ROX'],
  },
  'T24 other volume mode -> only an event': {
    given: { volumes: [{}], claims: [{ className: '', volumeMode: 'Block' }] },
    writes: [],
    events: [NO_CLASS],
  },
  'T31 bound once, volumeName gone -> Lost, status cleared': {
    given: { claims: [{ bbc: true, bc: true, ...bound }] },
    writes: ['PVC c status'],
    events: ['Warning ClaimLost on c: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'],
    stored: ['PVC c 1Gi - Lost BBC BC'],
  },
  'T32 bound once, volume gone -> Lost': {
    given: { claims: [{ volumeName: 'v', bbc: true, bc: true, ...bound }] },
    writes: ['PVC c status'],
    events: ['Warning ClaimLost on c: Bound claim has lost its PersistentVolume. Data on the volume is lost!'],
    stored: ['PVC c 1Gi v Lost BBC BC'],
  },
  'T33 bound once, claimRef cleared -> bound again': {
    given: { volumes: [{}], claims: [{ volumeName: 'v', bbc: true, bc: true }] },
    writes: ['PV v', 'PV v status', 'PVC c status'],
    stored: BOUND,
  },
  'T34 bound once, volume has another claim -> Lost, volume untouched': {
    given: { volumes: [{ claim: 'c/x' }], claims: [{ volumeName: 'v', bbc: true, bc: true }] },
    writes: ['PVC c status'],
    events: ['Warning ClaimMisbound on c: Two claims are bound to the same volume, this one is bound incorrectly'],
    stored: ['PV v 1Gi c/x Available', 'PVC c 1Gi v Lost BBC BC'],
  },
  'T35 Lost already -> nothing, no event': {
    given: { claims: [{ phase: 'Lost', bbc: true, bc: true }] },
    writes: [],
  },
  'T36 no claimRef -> Available': {
    given: { volumes: [{ phase: 'Pending' }] },
    sync: 'v',
    writes: ['PV v status'],
    stored: ['PV v 1Gi - Available'],
  },
  'T37 claimRef by name -> Available, claimRef kept': {
    given: { volumes: [{ phase: 'Pending', claim: 'c' }] },
    sync: 'v',
    writes: ['PV v status'],
    stored: ['PV v 1Gi c Available'],
  },
  'T38 claim is gone, Retain -> Released': {
    given: { volumes: [HELD] },
    sync: 'v',
    writes: ['PV v status'],
    stored: ['PV v 10Gi c/u Released'],
  },
  'T39 claim of that name has another uid -> Released': {
    given: { volumes: [HELD], claims: [{ uid: 'new', volumeName: 'v', bc: true, ...bound }] },
    sync: 'v',
    writes: ['PV v status'],
    stored: ['PV v 10Gi c/u Released', 'PVC c 1Gi v Bound BC cap=1Gi RWO'],
  },
  'T40 claim not bound yet -> its sync goes on, volume untouched': {
    given: { volumes: [{ ...HELD, bbc: true }], claims: [{ size: '10Gi' }] },
    sync: 'v',
    writes: [],
    enqueued: ['claim default/c'],
  },
  'T41 claim bound elsewhere, our link -> free again, no annotations': {
    given: { volumes: [{ ...HELD, bbc: true }], claims: [{ volumeName: 'other', ...bound }] },
    sync: 'v',
    writes: ['PV v', 'PV v status'],
    stored: ['PV v 10Gi - Available', 'PVC c 1Gi other Bound cap=1Gi RWO'],
  },
  "T42 claim bound elsewhere, user's link -> uid cleared": {
    given: { volumes: [HELD], claims: [{ volumeName: 'other', ...bound }] },
    sync: 'v',
    writes: ['PV v', 'PV v status'],
    stored: ['PV v 10Gi c Available', 'PVC c 1Gi other Bound cap=1Gi RWO'],
  },
  'T44 Delete without deleter -> Released, then Failed with message': {
    given: { volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Delete' }] },
    sync: 'v',
    writes: ['PV v status', 'PV v status'],
    events: [
      'Warning VolumeFailedDelete on v: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    ],
    stored: [
      'PV v 1Gi c/u Failed (error getting deleter volume plugin for volume "v": no deletable volume plugin matched)',
    ],
  },
  'T45 Delete, external -> Released and left alone': {
    given: {
      volumes: [
        {
          claim: 'c/u',
          phase: 'Bound',
          policy: 'Delete',
          bbc: true,
          provisionedBy: 'external.io/test',
          spec: { csi: { driver: 'external.test', volumeHandle: 'h' } },
        },
      ],
    },
    sync: 'v',
    writes: ['PV v status'],
    stored: ['PV v 1Gi c/u Released BBC DP'],
  },
  'T46 surplus provisioned volume -> deleted, the other untouched': {
    given: {
      volumes: [
        { name: 'v1', claim: 'c/u', phase: 'Bound', policy: 'Delete', provisionedBy: 'kubernetes.io/fake' },
        { name: 'v2', claim: 'c/u', phase: 'Bound', policy: 'Delete', provisionedBy: 'kubernetes.io/fake' },
      ],
      claims: [{ volumeName: 'v2', ...bound }],
    },
    sync: 'v1',
    plugins: fake({ delete: ok }),
    writes: ['PV v1', 'PV v1 status', 'PV v1', 'delete PV v1'],
    stored: ['PV v2 1Gi c/u Bound DP', 'PVC c 1Gi v2 Bound cap=1Gi RWO'],
  },
  'T48 Recycle -> recycled and free again': {
    given: { volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Recycle', bbc: true }] },
    sync: 'v',
    plugins: fake({ recycle: ok }),
    writes: ['PV v status', 'PV v', 'PV v status'],
    events: ['Normal VolumeRecycled on v: Volume recycled'],
    stored: ['PV v 1Gi - Available'],
  },
  'T49 Recycle while a pod uses it -> stays Released': {
    given: {
      volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Recycle', bbc: true }],
      pods: [{ name: 'user', claims: ['c'], phase: 'Running', nodeName: 'n' }],
    },
    sync: 'v',
    plugins: fake({ recycle: ok }),
    writes: ['PV v status'],
    events: ['Normal VolumeFailedRecycle on v: Volume is used by pods: default/user'],
    stored: ['PV v 1Gi c/u Released BBC'],
  },
  'Recycle without recycler -> Failed': {
    given: { volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Recycle' }] },
    sync: 'v',
    writes: ['PV v status', 'PV v status'],
    events: ['Warning VolumeFailedRecycle on v: No recycler plugin found for the volume!'],
    stored: ['PV v 1Gi c/u Failed (No recycler plugin found for the volume!)'],
  },
  'Recycle fails -> Failed with the error': {
    given: { volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Recycle' }] },
    sync: 'v',
    plugins: fake({
      recycle: (_volume, tell) => {
        tell('Warning', 'no luck');
        return Promise.reject(new Error('boom'));
      },
    }),
    writes: ['PV v status', 'PV v status'],
    events: [
      'Warning RecyclerPod on v: Recycler pod: no luck',
      'Warning VolumeFailedRecycle on v: Recycle failed: boom',
    ],
    stored: ['PV v 1Gi c/u Failed (Recycle failed: boom)'],
  },
  'Delete while still in use -> told, phase unchanged': {
    given: { volumes: [{ claim: 'c/u', phase: 'Released', policy: 'Delete' }] },
    sync: 'v',
    plugins: fake({ delete: () => Promise.reject(new VolumeInUseError('in use')) }),
    writes: [],
    events: ['Normal VolumeDelete on v: in use'],
  },
  'T52 class of an external provisioner -> both annotations and ExternalProvisioning': {
    given: { claims: [{ className: 'ext' }], classes: [{ name: 'ext', provisioner: 'vendor.com/my-volume' }] },
    writes: ['PVC c'],
    events: [`Normal ExternalProvisioning on c: ${EXTERNAL}`],
    stored: ['PVC c 1Gi - Pending ext SP'],
  },
  'T53 class waits, node selected -> handed over, the free volume is left alone': {
    given: {
      volumes: [{ className: 'extwait', policy: 'Delete' }],
      claims: [{ className: 'extwait', annotations: { 'volume.kubernetes.io/selected-node': 'node1' } }],
      classes: [{ name: 'extwait', provisioner: 'vendor.com/my-volume', wait: true }],
    },
    writes: ['PVC c'],
    events: [`Normal ExternalProvisioning on c: ${EXTERNAL}`],
    stored: ['PV v 1Gi - Available extwait', 'PVC c 1Gi - Pending extwait SP'],
  },
  'T54 unknown in-tree provisioner -> ProvisioningFailed': {
    given: { claims: [{ className: 'x' }], classes: [{ name: 'x', provisioner: 'kubernetes.io/unknown' }] },
    writes: [],
    events: ['Warning ProvisioningFailed on c: no volume plugin matched name: kubernetes.io/unknown'],
  },
  'T55 class does not exist -> ProvisioningFailed': {
    given: { claims: [{ className: 'ghost' }] },
    writes: [],
    events: ['Warning ProvisioningFailed on c: storageclass.storage.k8s.io "ghost" not found'],
  },
  'T56 default class made later -> filled in': {
    given: { claims: [{}], classes: [{ name: 'gold', isDefault: true }, { name: 'silver' }] },
    writes: ['PVC c'],
    stored: ['PVC c 1Gi - Pending gold'],
  },
  'T57 empty class -> stays empty': {
    given: { claims: [{ className: '' }], classes: [{ name: 'gold', isDefault: true }] },
    writes: [],
    events: [NO_CLASS],
  },
  'T59 expansion waits for the node -> the size before': {
    given: {
      volumes: [{ size: '2Gi', annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' } }],
      claims: [{ size: '2Gi' }],
    },
    writes: BIND,
    stored: ['PV v 2Gi c/u Bound BBC', 'PVC c 2Gi v Bound BBC BC cap=1Gi RWO,ROX'],
  },
};

describe('P-PV-6 one sync against the server: exact writes, events and end state', () => {
  for (const [name, vector] of Object.entries(VECTORS)) {
    it(name, async () => {
      const bench = new SyncBench(vector.plugins === undefined ? {} : { plugins: vector.plugins });
      await bench.given(vector.given);
      await bench.fillCache();
      const before = await bench.stored();
      const { sync = 'claim' } = vector;
      const run = sync === 'claim' ? bench.syncClaim('c') : bench.syncVolume(sync);
      if (vector.fails === undefined) await run;
      else await expect(run).rejects.toThrow(vector.fails);
      expect(bench.writes()).toEqual(vector.writes);
      expect(bench.events).toEqual(vector.events ?? []);
      expect(bench.enqueued).toEqual(vector.enqueued ?? []);
      expect(await bench.stored()).toEqual(vector.stored ?? before);
    });
  }
});

describe('P-PV-6 more than one sync', () => {
  it('T35 the claim of T31 synced again -> nothing, no event', async () => {
    const bench = new SyncBench();
    await bench.given({ claims: [{ bbc: true, bc: true, ...bound }] });
    await bench.syncClaim('c');
    await bench.syncClaim('c');
    expect(bench.writes()).toEqual(['PVC c status']);
    expect(bench.events).toHaveLength(1);
  });

  it('T01 bound, then synced again from either side -> no write', async () => {
    const bench = new SyncBench();
    await bench.given({ volumes: [{}], claims: [{}] });
    await bench.fillCache();
    await bench.syncClaim('c');
    await bench.syncClaim('c');
    await bench.syncVolume('v');
    expect(bench.writes()).toEqual(BIND);
  });

  it('T43 claim neither in cache nor informer, but at the server -> Bound, never Released', async () => {
    const bench = new SyncBench();
    await bench.given({
      volumes: [{ ...HELD, phase: 'Available', policy: 'Delete' }],
      claims: [{ size: '10Gi', volumeName: 'v', ...bound }],
    });
    await bench.syncVolume('v', { informed: false });
    expect(bench.writes()).toEqual(['PV v status']);
    expect((await bench.stored())[0]).toBe('PV v 10Gi c/u Bound');
  });

  it('T47 deleter fails, then works -> Failed, a second try not before 500 ms, then gone', async () => {
    const failures = ['boom'];
    const tries: number[] = [];
    const bench = new SyncBench({
      plugins: fake({
        delete: () => {
          tries.push(bench.world.clock.monotonic());
          const failure = failures.pop();
          return failure === undefined ? Promise.resolve() : Promise.reject(new Error(failure));
        },
      }),
    });
    await bench.given({ volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Delete' }] });
    await bench.syncVolume('v');
    expect(bench.events).toEqual(['Warning VolumeFailedDelete on v: boom']);
    expect(await bench.stored()).toEqual(['PV v 1Gi c/u Failed (boom)']);
    await bench.world.wait(500);
    await bench.syncVolume('v');
    expect(tries).toEqual([0]);
    await bench.world.wait(1);
    await bench.syncVolume('v');
    expect(tries).toEqual([0, 501]);
    expect((await bench.world.user.list(PersistentVolumes)).items).toEqual([]);
  });

  it('T50 unknown policy -> Failed', async () => {
    const bench = new SyncBench({ plugins: [], validates: false });
    await bench.given({ volumes: [{ claim: 'c/u', phase: 'Bound', policy: 'Unknown' }] });
    await bench.syncVolume('v');
    expect(bench.writes()).toEqual(['PV v status', 'PV v status']);
    const message = 'Volume has unrecognized PersistentVolumeReclaimPolicy';
    expect(bench.events).toEqual([`Warning VolumeUnknownReclaimPolicy on v: ${message}`]);
    expect(await bench.stored()).toEqual([`PV v 1Gi c/u Failed (${message})`]);
  });

  it('T56 class filled in -> the next sync provisions', async () => {
    const bench = new SyncBench();
    await bench.given({
      claims: [{}],
      classes: [{ name: 'gold', isDefault: true, provisioner: 'vendor.com/my-volume' }],
    });
    await bench.syncClaim('c');
    await bench.syncClaim('c');
    expect(await bench.stored()).toEqual(['PVC c 1Gi - Pending gold SP']);
  });

  it('T51 volume deleted -> its claim is looked at at once and Lost', async () => {
    const bench = new SyncBench();
    await bench.given({
      volumes: [{ claim: 'c/u', phase: 'Bound', bbc: true }],
      claims: [{ volumeName: 'v', bbc: true, bc: true, ...bound }],
    });
    await bench.fillCache();
    await bench.world.user.delete(PersistentVolumes, 'v');
    await bench.syncVolume('v');
    expect(bench.enqueued).toEqual(['claim default/c']);
    await bench.syncClaim('c');
    expect(await bench.stored()).toEqual(['PVC c 1Gi v Lost BBC BC']);
  });
});
