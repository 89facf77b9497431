import { describe, expect, it } from 'vitest';
import { wireCases } from '../../contract/wire-kit.ts';
import { playOverHttp } from './endpoint-of-case.ts';

/** Roles, tokens, impersonation, custom resources, OpenAPI and protobuf are not served yet. */
const NOT_SERVED =
  /^(auth-(forbidden|impersonation)|protobuf|openapi|review)|custom-resource|^(crd-life|rbac-rules|serviceaccount-token)$/;

describe('recorded answers of a real API server, over HTTP', () => {
  for (const testCase of wireCases().filter(({ name }) => !NOT_SERVED.test(name))) {
    it(`P-HTTP-1 ${testCase.name} -> as recorded`, async () => {
      expect(await playOverHttp(testCase)).toEqual([]);
    });
  }
});
