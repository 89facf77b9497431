import { describe, expect, it } from 'vitest';
import { wireCases } from '../../contract/wire-kit.ts';
import { playOverHttp } from './endpoint-of-case.ts';

describe('recorded protobuf bodies of real clients, over HTTP', () => {
  for (const testCase of wireCases().filter(({ name }) => name.startsWith('protobuf-'))) {
    it(`P-PB-1 ${testCase.name} -> as recorded`, async () => {
      expect(await playOverHttp(testCase)).toEqual([]);
    });
  }
});
