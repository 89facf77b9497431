import { describe, expect, it } from 'vitest';
import { silentLog } from '../../base/log.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { Reason } from '../../kube/reason.ts';
import { type OperationName, VolumeOperations } from './volume-operations.ts';
import type { VolumeSpec } from './volume-spec.ts';

const spec = (isExclusive: boolean): VolumeSpec => ({
  volume: 'v',
  name: 'pv',
  isExclusive,
  csi: { driver: 'd', handle: 'h' },
});
const EXCLUSIVE = spec(true);
const SHARED = spec(false);
const REASON: Reason = { type: 'started', entry: 3 };
const on = (node: string) => ({ volume: 'v', node });

function stage() {
  const clock = new SteppedClock(0);
  const free: string[] = [];
  const operations = new VolumeOperations({
    clock,
    log: silentLog,
    signal: new AbortController().signal,
    onFree: (volume, { type, entry }) => void free.push(`${volume} ${type} ${entry ?? ''} at ${clock.now()}`),
  });
  const start = (
    node: string,
    given: VolumeSpec | undefined,
    name: OperationName,
    run: () => Promise<Reason | undefined>,
  ): boolean => operations.start(on(node), given, { name, reason: REASON, run });
  return { clock, free, operations, start };
}
const fails = (): Promise<never> => Promise.reject(new Error('no'));
const never = (): Promise<never> => new Promise(() => undefined);

describe('VolumeOperations', () => {
  it('P-AD-8 an exclusive volume -> one operation at a time, whatever the node', () => {
    const { operations, start } = stage();
    expect(start('a', EXCLUSIVE, 'volume_detach', never)).toBe(true);
    expect([operations.isPending(on('b'), EXCLUSIVE), start('b', EXCLUSIVE, 'volume_attach', never)]).toEqual([
      true,
      false,
    ]);
  });

  it('P-AD-8 a shared volume, or one known by name -> one operation a node', () => {
    const { start } = stage();
    expect([
      start('a', SHARED, 'volume_attach', never),
      start('b', undefined, 'volume_detach', never),
      start('a', SHARED, 'volume_attach', never),
    ]).toEqual([true, true, false]);
  });

  it('a failure -> the same operation rests 0.5 s, 1 s, 2 s; the owner hears of each end', async () => {
    const { clock, free, operations, start } = stage();
    start('a', EXCLUSIVE, 'volume_detach', fails);
    await clock.advanceTo(500);
    expect([operations.mayStart(on('a'), EXCLUSIVE, 'volume_detach'), free]).toEqual([false, ['v started 3 at 0']]);
    await clock.advanceTo(501);
    expect([operations.mayStart(on('a'), EXCLUSIVE, 'volume_detach'), free[1]]).toEqual([true, 'v requeued 3 at 501']);
    start('a', EXCLUSIVE, 'volume_detach', fails);
    await clock.advanceTo(1501);
    expect(operations.mayStart(on('a'), EXCLUSIVE, 'volume_detach')).toBe(false);
    await clock.advanceTo(1502);
    expect(operations.mayStart(on('a'), EXCLUSIVE, 'volume_detach')).toBe(true);
  });

  it('P-AD-8 another operation in the rest -> starts at once, and the two take turns without growing waits', async () => {
    const { clock, operations, start } = stage();
    for (let turn = 0; turn < 5; turn++) {
      expect(operations.mayStart(on('a'), EXCLUSIVE, 'volume_detach')).toBe(true);
      expect(start('a', EXCLUSIVE, 'volume_detach', fails)).toBe(true);
      await clock.advanceTo(clock.now() + 1);
      expect(operations.mayStart(on('a'), EXCLUSIVE, 'volume_detach')).toBe(false);
      expect(start('b', EXCLUSIVE, 'volume_attach', fails)).toBe(true);
      await clock.advanceTo(clock.now() + 1);
    }
  });

  it('success -> free at once, for the reason that ended it', async () => {
    const { clock, free, operations, start } = stage();
    start('a', EXCLUSIVE, 'volume_attach', () =>
      Promise.resolve({ type: 'changed', kind: 'VolumeAttachment', key: 'x', entry: 9 }),
    );
    await clock.advanceTo(0);
    expect([operations.isPending(on('a'), EXCLUSIVE), free]).toEqual([false, ['v changed 9 at 0']]);
  });
});
