// Every recorded scenario that the components here can play, in virtual time. `MOORING_PARITY_SCENARIOS` names another
// directory of scenarios to play instead.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { playInProcess } from './in-process.ts';
import { load } from './parity.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const directory = process.env['MOORING_PARITY_SCENARIOS'] ?? path.join(here, 'scenarios');

/** Scenarios about parts that are not built yet. A scenario leaves this list and never comes back. */
const LATER: readonly RegExp[] = [
  /^attributes-/,
  /^expand-/,
  /^snapshot-/,
  /^stateful-/,
  /^deployment-/,
  /^node-/,
  /^taint-/,
];

describe('recorded scenarios, played in the simulated world', () => {
  const items = load([directory]).filter(({ scenario }) => !LATER.some((pattern) => pattern.test(scenario.name)));
  for (const item of items) {
    const { name, vectors = [] } = item.scenario;
    test(`parity ${[name, ...vectors].join(' ')} -> as recorded`, async () => {
      const result = await playInProcess(item, 1);
      expect(result.faults).toEqual([]);
    });
  }
});
