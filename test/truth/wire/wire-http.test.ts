import { describe, expect, it } from 'vitest';
import { wireCases } from '../../contract/wire-kit.ts';
import { playOverHttp } from './endpoint-of-case.ts';

/** Played by wire-protobuf.test.ts. */
const NOT_SERVED = /^protobuf/;

describe('recorded answers of a real API server, over HTTP', () => {
  for (const testCase of wireCases().filter(({ name }) => !NOT_SERVED.test(name))) {
    it(`P-HTTP-1 P-API-18 P-REG-1 ${testCase.name} -> as recorded`, async () => {
      expect(await playOverHttp(testCase)).toEqual([]);
    });
  }
});
