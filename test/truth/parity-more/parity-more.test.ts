// Scenarios recorded beside the kit's own, on the control plane that record.sh starts, in virtual time.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { testScenarios } from '../parity/scenario-tests.ts';

describe('more recorded scenarios, played in the simulated world', () => {
  testScenarios(path.join(path.dirname(fileURLToPath(import.meta.url)), 'scenarios'));
});
