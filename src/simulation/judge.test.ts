import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../kube/object.ts';
import { PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { Judge } from './judge.ts';
import { readStory } from './story-file.ts';
import type { Verdict } from './story.ts';

const claim = (phase: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: PersistentVolumeClaims.kind,
    metadata: { name: 'data', namespace: 'default', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    status: { phase },
  }) as KubeObject;

function judgeOf(expectation: string): Judge {
  const story = readStory(
    's',
    `name: sample\nabout: a\nlasts: 60s\nsteps: [{ delete: pvc/x }]\nexpect:\n  - ${expectation}\n`,
  );
  return new Judge(story.expect);
}

/** The verdict of one expectation when FailedBinding was told of the claim at these times. */
function judgedEvents(expectation: string, times: readonly number[]): Verdict | undefined {
  const judge = judgeOf(expectation);
  const involvedObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' };
  const event = { apiVersion: 'v1', kind: 'Event', reason: 'FailedBinding', involvedObject } as unknown as KubeObject;
  for (const atMs of times) judge.observe(event, false, atMs);
  return judge.conclude(60_000)[0];
}

/** The verdict of one expectation after these phases; `gone` is a deletion. */
function judged(expectation: string, seen: readonly (readonly [number, string])[]): Verdict | undefined {
  const judge = judgeOf(expectation);
  for (const [atMs, phase] of seen) judge.observe(claim(phase), phase === 'gone', atMs);
  return judge.conclude(60_000)[0];
}

describe('P-SIM-4 the judge', () => {
  const rows: readonly [string, string, readonly (readonly [number, string])[], boolean][] = [
    ['in time -> held', '{ within: 10s, of: pvc/data, condition: Bound }', [[9_999, 'Bound']], true],
    ['on the last millisecond -> held', '{ within: 10s, of: pvc/data, condition: Bound }', [[10_000, 'Bound']], true],
    ['too late -> failed', '{ within: 10s, of: pvc/data, condition: Bound }', [[10_001, 'Bound']], false],
    [
      'for a moment only -> held',
      '{ within: 10s, of: pvc/data, condition: Bound }',
      [
        [1, 'Bound'],
        [2, 'Lost'],
      ],
      true,
    ],
    ['never seen -> failed', '{ within: 10s, of: pvc/data, condition: Bound }', [], false],
    ['of another object -> failed', '{ within: 10s, of: pvc/other, condition: Bound }', [[1, 'Bound']], false],
    ['never, and it was not -> held', '{ never: pvc/data Lost }', [[1, 'Bound']], true],
    [
      'never, and it was for a moment -> failed',
      '{ never: pvc/data Lost }',
      [
        [1, 'Lost'],
        [2, 'Bound'],
      ],
      false,
    ],
    [
      'gone in time -> held',
      '{ within: 10s, of: pvc/data, condition: gone }',
      [
        [1, 'Bound'],
        [5, 'gone'],
      ],
      true,
    ],
    [
      'gone too late -> failed',
      '{ within: 10s, of: pvc/data, condition: gone }',
      [
        [1, 'Bound'],
        [50_000, 'gone'],
      ],
      false,
    ],
    [
      'at the end as told -> held',
      '{ atEnd: pvc/data, is: { status: { phase: Bound } } }',
      [
        [1, 'Pending'],
        [2, 'Bound'],
      ],
      true,
    ],
    [
      'at the end otherwise -> failed',
      '{ atEnd: pvc/data, is: { status: { phase: Bound } } }',
      [
        [1, 'Bound'],
        [2, 'Lost'],
      ],
      false,
    ],
    [
      'so before the time asked for and not then -> failed',
      '{ after: 5s, within: 10s, of: pvc/data, condition: Bound }',
      [
        [1, 'Bound'],
        [4_000, 'Lost'],
        [11_000, 'Bound'],
      ],
      false,
    ],
    [
      'so when the time asked for comes, and written earlier -> held',
      '{ after: 5s, within: 10s, of: pvc/data, condition: Bound }',
      [
        [1, 'Bound'],
        [20_000, 'Lost'],
      ],
      true,
    ],
    [
      'so while the cluster came up, and not when the story began -> failed',
      '{ after: 0s, within: 10s, of: pvc/data, condition: Bound }',
      [
        [-20_000, 'Bound'],
        [-10_000, 'Lost'],
      ],
      false,
    ],
    [
      'so while the cluster came up and still when the story began -> held',
      '{ after: 0s, within: 10s, of: pvc/data, condition: Bound }',
      [[-20_000, 'Bound']],
      true,
    ],
    [
      'never after a time, and it was before -> held',
      '{ never: pvc/data Lost, after: 5s }',
      [
        [1, 'Lost'],
        [4_999, 'Bound'],
      ],
      true,
    ],
    ['never after a time, and it was so then -> failed', '{ never: pvc/data Lost, after: 5s }', [[1, 'Lost']], false],
    ['at the end there, told gone -> failed', '{ atEnd: pvc/data, is: gone }', [[1, 'Bound']], false],
    [
      'at the end a field told absent -> held',
      '{ atEnd: pvc/data, is: { status: { capacity: null } } }',
      [[1, 'Bound']],
      true,
    ],
  ];
  test('an event before the time asked for -> does not count, one after it does', () => {
    const expectation = '{ after: 5s, within: 30s, of: pvc/data, condition: event FailedBinding }';
    expect(judgedEvents(expectation, [1_000])?.passed).toBe(false);
    expect(judgedEvents(expectation, [1_000, 6_000])).toMatchObject({ passed: true, atMs: 6_000 });
  });
  test.each(rows)('%s', (_, expectation, seen, passed) => {
    expect(judged(expectation, seen)?.passed).toBe(passed);
  });
});
