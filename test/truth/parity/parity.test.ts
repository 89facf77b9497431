// Every recorded scenario that the components here can play, in virtual time. `MOORING_PARITY_SCENARIOS` names another
// directory of scenarios to play instead.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { testScenarios } from './scenario-tests.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const directory = process.env['MOORING_PARITY_SCENARIOS'] ?? path.join(here, 'scenarios');

/** Scenarios about parts that are not built yet. A scenario leaves this list and never comes back. */
const LATER: readonly RegExp[] = [/^snapshot-/];

describe('recorded scenarios, played in the simulated world', () => {
  testScenarios(directory, LATER);
});
