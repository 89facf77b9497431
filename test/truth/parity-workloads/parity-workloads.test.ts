// Scenarios of StatefulSets and Deployments, recorded like those of parity-more, in virtual time.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { testScenarios } from '../parity/scenario-tests.ts';

describe('recorded workloads, played in the simulated world', () => {
  testScenarios(path.join(path.dirname(fileURLToPath(import.meta.url)), 'scenarios'));
});
