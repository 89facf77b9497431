// Stories that a law draws: pods come and go, nodes speak or fall silent, the driver refuses.
import fc from 'fast-check';
import { CsiStatusError } from '../../src/csi/csi-error.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { isApiError } from '../../src/kube/api-error.ts';
import { AttachWorld, type AttachWorldOptions, attachmentOf } from './attach-world.ts';

const volume = fc.constantFrom('v', 'w');
const node = fc.constantFrom('a', 'b');
const pod = fc.constantFrom('p', 'q', 'r');

export type Step =
  | { readonly do: 'pod'; readonly pod: string; readonly node: string; readonly volumes: readonly string[] }
  | { readonly do: 'terminate' | 'force-delete'; readonly pod: string }
  | { readonly do: 'says'; readonly node: string; readonly inUse: readonly string[]; readonly ready: string }
  | { readonly do: 'taint'; readonly node: string; readonly key: string }
  | { readonly do: 'delete-node'; readonly node: string }
  | { readonly do: 'delete-attachment'; readonly volume: string; readonly node: string }
  | { readonly do: 'restart' }
  | { readonly do: 'driver'; readonly refuses: string };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('pod' as const), pod, node, volumes: fc.uniqueArray(volume) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('terminate' as const, 'force-delete' as const), pod }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('says' as const),
      node,
      inUse: fc.uniqueArray(volume),
      ready: fc.constantFrom('True', 'Unknown'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('taint' as const),
      node,
      key: fc.constantFrom('node.kubernetes.io/out-of-service', 'other.test/x'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete-node' as const), node }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete-attachment' as const), volume, node }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('driver' as const),
      refuses: fc.constantFrom('', 'ControllerPublishVolume', 'ControllerUnpublishVolume'),
    }),
  },
);
/** Steps with the seconds before each: most of them close together, some longer than any wait. */
export const script = fc.array(fc.tuple(fc.constantFrom(0.01, 0.13, 0.7, 3, 7), step), {
  minLength: 1,
  maxLength: 14,
});

/** Short waits, so that a story of seconds meets all of them. */
const SETTINGS = {
  attachDetachReconcileSyncPeriodMs: 6_000,
  timers: { maxWaitForUnmountMs: 5_000, csiTimeoutMs: 4_000 },
};

export async function play(
  steps: readonly (readonly [number, Step])[],
  { settings = {}, ...options }: AttachWorldOptions = {},
): Promise<AttachWorld> {
  const driver = { refuses: '' };
  const world = new AttachWorld({
    requestMs: 2,
    watchMs: 3,
    attacher: { retryIntervalMaxMs: 2_000 },
    around: (call, proceed) => {
      if (call.rpc === driver.refuses) throw new CsiStatusError('INTERNAL', 'refused');
      return proceed();
    },
    ...options,
    settings: { ...SETTINGS, ...settings },
  });
  const run = { driver, stop: await begin(world) };
  for (const [seconds, each] of steps) {
    await world.wait(seconds);
    await perform(world, each, run).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
    });
  }
  await world.wait(20);
  return world;
}

/** An exclusive volume on one node and a shared one on both, in use. */
async function begin(world: AttachWorld): Promise<() => void> {
  await world.node('a');
  await world.node('b');
  await world.volume('v');
  await world.volume('w', ['ReadWriteMany']);
  const stop = world.startController();
  world.startAttacher();
  await world.wait(0.2);
  await world.pod('p', 'a', ['v', 'w']);
  await world.pod('q', 'b', ['w']);
  await world.wait(1);
  await world.says('a', { inUse: ['v', 'w'] });
  await world.says('b', { inUse: ['w'] });
  return stop;
}

interface Run {
  readonly driver: { refuses: string };
  stop: () => void;
}

async function perform(world: AttachWorld, each: Step, run: Run): Promise<void> {
  switch (each.do) {
    case 'pod':
      return void (await world.pod(each.pod, each.node, each.volumes));
    case 'terminate':
      return await world.terminate(each.pod);
    case 'force-delete':
      return await world.forceDelete(each.pod);
    case 'says':
      return await world.says(each.node, each);
    case 'taint':
      return await world.taint(each.node, each.key);
    case 'delete-node':
      return await world.deleteNode(each.node);
    case 'delete-attachment':
      return void (await world.user.delete(VolumeAttachments, attachmentOf(each.volume, each.node)));
    case 'restart':
      run.stop();
      run.stop = world.startController();
      return;
    default:
      run.driver.refuses = each.refuses;
  }
}
