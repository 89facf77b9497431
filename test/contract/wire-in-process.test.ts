import { describe, expect, it } from 'vitest';
import { defaultAdmission } from '../../src/apiserver/admission/plugins.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { loadWireKit, playCase, wireCases } from './wire-kit.ts';
import { wireTransport } from './wire-transport.ts';

const STARTS_AT = Date.UTC(2026, 0, 5, 8);

/** Cases about HTTP itself: media types, tables, discovery, credentials, raw bodies and their duplicate fields. */
const ABOUT_HTTP =
  /^(auth|media|table|protobuf|discovery|openapi|review)-|^(body-too-large|healthz|version|partial-object|watch-table|paths-unknown|methods-not-allowed|decode-malformed-json|delete-options-decoding|field-validation-strict)$/;
/** Kinds and paths that the server does not serve: custom resources, RBAC, tokens. */
const NOT_SERVED = /custom-resource|^(crd-life|rbac-rules|names-other-kinds|serviceaccount-token)$/;

describe('recorded answers of a real API server, in process', () => {
  for (const testCase of wireCases().filter(({ name }) => !ABOUT_HTTP.test(name) && !NOT_SERVED.test(name))) {
    it(`P-API-18 ${testCase.name} -> as recorded`, async () => {
      const kit = await loadWireKit();
      const clock = new SteppedClock(STARTS_AT);
      const random = new SeededRandom(testCase.name);
      const server = new ApiServer({
        clock,
        random,
        store: new ObjectStore(),
        strategies: defaultStrategies(),
        admission: defaultAdmission(),
      });
      server.bootstrap();
      Object.assign(kit.time, {
        now: () => clock.now(),
        sleep: (ms: number) => clock.advanceTo(clock.now() + ms),
        fraction: () => random.fraction(),
      });
      const differences = await playCase(kit, wireTransport(server), testCase);
      expect(differences).toEqual([]);
    });
  }
});
