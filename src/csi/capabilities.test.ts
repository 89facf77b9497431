import { expect, test } from 'vitest';
import { askDriverCapabilities, askNodeCapabilities } from './capabilities.ts';
import { CALL, bench } from './drivers/memory/test-requests.ts';

test('a driver is asked what it can do -> sets of names', async () => {
  const { driver } = bench({ capabilities: { controller: ['CREATE_DELETE_VOLUME'], node: ['GET_VOLUME_STATS'] } });
  expect(await askDriverCapabilities(driver, CALL)).toEqual({
    plugin: new Set(['CONTROLLER_SERVICE']),
    controller: new Set(['CREATE_DELETE_VOLUME']),
  });
  expect(await askNodeCapabilities(driver, 'n1', CALL)).toEqual(new Set(['GET_VOLUME_STATS']));
});

test('a driver without controller service -> no controller capability is asked for', async () => {
  const { driver } = bench({ capabilities: { plugin: [] } });
  expect((await askDriverCapabilities(driver, CALL)).controller).toEqual(new Set());
});
