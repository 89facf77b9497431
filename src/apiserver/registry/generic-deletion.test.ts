import { describe, expect, it } from 'vitest';
import { SECOND_MS, timestamp } from '../../base/clock.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import { type Deletion, type DeletionFacts, decideDeletion } from './generic-deletion.ts';

const NOW = Date.UTC(2026, 0, 5);
const at = (seconds: number): string => timestamp(NOW + seconds * SECOND_MS);
const meta = (more: Partial<ObjectMeta> = {}): ObjectMeta => ({
  name: 'x',
  uid: 'u',
  resourceVersion: '1',
  creationTimestamp: at(-60),
  ...more,
});
const facts = (metadata: Partial<ObjectMeta>, more: Partial<DeletionFacts> = {}): DeletionFacts => ({
  metadata: meta(metadata),
  policy: undefined,
  requestedGraceSeconds: undefined,
  graceSeconds: undefined,
  now: NOW,
  ...more,
});

const rows: readonly (readonly [string, DeletionFacts, Deletion])[] = [
  ['nothing holds it -> remove', facts({}), { type: 'remove' }],
  [
    'finalizer -> marked with grace 0 and a bumped generation',
    facts({ finalizers: ['a/b'], generation: 3 }),
    {
      type: 'mark',
      metadata: meta({ generation: 4, deletionTimestamp: at(0), deletionGracePeriodSeconds: 0, finalizers: ['a/b'] }),
    },
  ],
  [
    'finalizer, already marked -> the same mark again',
    facts({ finalizers: ['a/b'], generation: 4, deletionTimestamp: at(-5), deletionGracePeriodSeconds: 0 }),
    {
      type: 'mark',
      metadata: meta({ generation: 4, deletionTimestamp: at(-5), deletionGracePeriodSeconds: 0, finalizers: ['a/b'] }),
    },
  ],
  [
    'foreground -> its finalizer last',
    facts({ finalizers: ['a/b'] }, { policy: 'Foreground' }),
    {
      type: 'mark',
      metadata: meta({
        deletionTimestamp: at(0),
        deletionGracePeriodSeconds: 0,
        finalizers: ['a/b', 'foregroundDeletion'],
      }),
    },
  ],
  [
    'orphan in place of foreground -> one of the two only',
    facts({ finalizers: ['foregroundDeletion'] }, { policy: 'Orphan' }),
    {
      type: 'mark',
      metadata: meta({ deletionTimestamp: at(0), deletionGracePeriodSeconds: 0, finalizers: ['orphan'] }),
    },
  ],
  [
    'background, orphan on the object -> it goes, and so does the object',
    facts({ finalizers: ['orphan'] }, { policy: 'Background' }),
    { type: 'remove' },
  ],
  [
    'grace 30 -> marked for 30 s from now',
    facts({ generation: 1 }, { graceSeconds: 30 }),
    { type: 'mark', metadata: meta({ generation: 2, deletionTimestamp: at(30), deletionGracePeriodSeconds: 30 }) },
  ],
  [
    'grace 0 -> marked, then removed',
    facts({ generation: 1 }, { graceSeconds: 0 }),
    {
      type: 'mark-and-remove',
      metadata: meta({ generation: 2, deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 }),
    },
  ],
  [
    'grace 0 and a finalizer -> marked only',
    facts({ finalizers: ['a/b'] }, { graceSeconds: 0 }),
    { type: 'mark', metadata: meta({ deletionTimestamp: at(0), deletionGracePeriodSeconds: 0, finalizers: ['a/b'] }) },
  ],
  [
    'under way with 30, none named -> pending',
    facts({ deletionTimestamp: at(25), deletionGracePeriodSeconds: 30 }, { graceSeconds: 30 }),
    { type: 'pending' },
  ],
  [
    'under way with 30, 40 asked -> pending',
    facts(
      { deletionTimestamp: at(25), deletionGracePeriodSeconds: 30 },
      { graceSeconds: 40, requestedGraceSeconds: 40 },
    ),
    { type: 'pending' },
  ],
  [
    'under way with 30 since 5 s, 10 asked -> ends 10 s after it began',
    facts(
      { deletionTimestamp: at(25), deletionGracePeriodSeconds: 30 },
      { graceSeconds: 10, requestedGraceSeconds: 10 },
    ),
    { type: 'mark', metadata: meta({ deletionTimestamp: at(5), deletionGracePeriodSeconds: 10 }) },
  ],
  [
    'under way with 30 since 20 s, 10 asked -> overdue, so one second from now',
    facts(
      { deletionTimestamp: at(10), deletionGracePeriodSeconds: 30 },
      { graceSeconds: 10, requestedGraceSeconds: 10 },
    ),
    { type: 'mark', metadata: meta({ deletionTimestamp: at(0), deletionGracePeriodSeconds: 1 }) },
  ],
  [
    'under way with 30, 0 asked -> removed',
    facts({ deletionTimestamp: at(25), deletionGracePeriodSeconds: 30 }, { graceSeconds: 0, requestedGraceSeconds: 0 }),
    { type: 'mark-and-remove', metadata: meta({ deletionTimestamp: at(0), deletionGracePeriodSeconds: 0 }) },
  ],
  [
    'marked with grace 0 and left behind -> remove',
    facts({ deletionTimestamp: at(-9), deletionGracePeriodSeconds: 0 }, { graceSeconds: 30 }),
    { type: 'remove' },
  ],
];

describe('decideDeletion', () => {
  it.each(rows)('P-API-4 %s', (_name, given, decision) => {
    expect(decideDeletion(given)).toEqual(decision);
  });
});
