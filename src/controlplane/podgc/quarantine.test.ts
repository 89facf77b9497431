import { expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import { Quarantine } from './quarantine.ts';

const passes = (quarantine: Quarantine, missing: readonly string[], ...seconds: readonly number[]) =>
  seconds.map((at) => quarantine.pass(missing, at * SECOND_MS));

test('PG-01 P-PGC-2 missing at 0, 20 and 40 s -> over at 40 s', () => {
  expect(passes(new Quarantine(40 * SECOND_MS), ['n'], 0, 20, 40)).toEqual([[], [], ['n']]);
});

test('PG-01 P-PGC-2 back before the wait is over -> not gone', () => {
  const quarantine = new Quarantine(40 * SECOND_MS);
  quarantine.pass(['n'], 0);
  expect(quarantine.pass([], 40 * SECOND_MS)).toEqual([]);
});

test('P-PGC-2 still missing afterwards -> asked about again 40 s later', () => {
  const quarantine = new Quarantine(40 * SECOND_MS);
  expect(passes(quarantine, ['n'], 0, 40, 60, 80)).toEqual([[], ['n'], [], ['n']]);
  expect(quarantine.nextEnd).toBe(120 * SECOND_MS);
});

test('nobody missing -> no end to wait for', () => {
  expect(new Quarantine(40 * SECOND_MS).nextEnd).toBeUndefined();
});
