import { describe, expect, it } from 'vitest';
import { wireCases } from '../../contract/wire-kit.ts';
import { playOverHttp } from './endpoint-of-case.ts';

/** Custom resources, OpenAPI and protobuf are not served by this endpoint. */
const NOT_SERVED =
  /^(protobuf|openapi)|custom-resource|^crd-life$/;

describe('recorded answers of a real API server, over HTTP', () => {
  for (const testCase of wireCases().filter(({ name }) => !NOT_SERVED.test(name))) {
    it(`P-HTTP-1 ${testCase.name} -> as recorded`, async () => {
      expect(await playOverHttp(testCase)).toEqual([]);
    });
  }
});
