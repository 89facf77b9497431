import { describe, expect, test } from 'vitest';
import { decideNoScheduleTaints, withTaints, withoutTaints } from './taints.ts';

const noSchedule = (key: string) => ({ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule' });
const foreign = { key: 'example.com/own', effect: 'NoSchedule' };
const facts = (
  conditions: Readonly<Record<string, string>>,
  taints: readonly { key: string; effect: string }[] = [],
  unschedulable = false,
) => ({
  taints,
  unschedulable,
  conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })),
});

describe('decideNoScheduleTaints', () => {
  test.each([
    [
      'ready, taint of admission    -> taken off',
      facts({ Ready: 'True' }, [noSchedule('not-ready')]),
      [],
      ['not-ready'],
    ],
    ['no condition at all          -> taken off', facts({}, [noSchedule('not-ready')]), [], ['not-ready']],
    ['not ready                    -> not-ready', facts({ Ready: 'False' }), ['not-ready'], []],
    ['not ready, tainted           -> nothing', facts({ Ready: 'False' }, [noSchedule('not-ready')]), [], []],
    [
      'unknown after not ready      -> swapped',
      facts({ Ready: 'Unknown' }, [noSchedule('not-ready')]),
      ['unreachable'],
      ['not-ready'],
    ],
    [
      'pressures                    -> one each',
      facts({ Ready: 'True', MemoryPressure: 'True', DiskPressure: 'True', PIDPressure: 'True' }),
      ['memory-pressure', 'disk-pressure', 'pid-pressure'],
      [],
    ],
    ['pressures unknown            -> nothing', facts({ Ready: 'True', MemoryPressure: 'Unknown' }), [], []],
    ['no network                   -> its taint', facts({ NetworkUnavailable: 'True' }), ['network-unavailable'], []],
    ['cordoned                     -> its taint', facts({ Ready: 'True' }, [], true), ['unschedulable'], []],
    [
      'uncordoned                   -> taken off',
      facts({ Ready: 'True' }, [noSchedule('unschedulable')]),
      [],
      ['unschedulable'],
    ],
    ["somebody else's taint        -> left", facts({ Ready: 'True' }, [foreign]), [], []],
    [
      'the NoExecute taint          -> left',
      facts({ Ready: 'True' }, [{ ...noSchedule('not-ready'), effect: 'NoExecute' }]),
      [],
      [],
    ],
  ])('P-NL-1 %s', (_, node, add, remove) => {
    expect(decideNoScheduleTaints(node)).toEqual({ add: add.map(noSchedule), remove: remove.map(noSchedule) });
  });
});

describe('lists of taints', () => {
  test('adding one that is there -> replaced where it stands', () => {
    const again = { ...noSchedule('not-ready'), timeAdded: '2026-01-01T00:00:00Z' };
    expect(withTaints([noSchedule('not-ready'), foreign], [again])).toEqual([again, foreign]);
  });
  test('adding another -> at the end', () => {
    expect(withTaints([foreign], [noSchedule('not-ready')])).toEqual([foreign, noSchedule('not-ready')]);
  });
  test('removing -> by key and effect, whatever the time', () => {
    expect(
      withoutTaints(
        [{ ...noSchedule('not-ready'), timeAdded: '2026-01-01T00:00:00Z' }, foreign],
        [noSchedule('not-ready')],
      ),
    ).toEqual([foreign]);
  });
});
