// One test for each recorded scenario of a directory, played in virtual time.
import { expect, test } from 'vitest';
import { playInProcess } from './in-process.ts';
import { load } from './parity.mjs';

export function testScenarios(directory: string, later: readonly RegExp[] = []): void {
  const items = load([directory]).filter(({ scenario }) => !later.some((pattern) => pattern.test(scenario.name)));
  for (const item of items) {
    const { name, vectors = [] } = item.scenario;
    test(`parity ${[name, ...vectors].join(' ')} -> as recorded`, async () => {
      const result = await playInProcess(item, 1);
      expect(result.faults).toEqual([]);
    });
  }
}
