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

/** What only HTTP has (media types, tables, discovery, credentials, raw bodies), and what the server does not do yet. */
const ELSEWHERE =
  /^(auth|media|table|protobuf|discovery|openapi|apply|review)-|^(body-too-large|healthz|version|partial-object|watch-table|paths-unknown|methods-not-allowed|serviceaccount-token|managed-fields-update|decode-malformed-json|delete-options-decoding|crd-life|rbac-rules)$|custom-resource/;

describe('recorded answers of a real API server, in process', () => {
  for (const testCase of wireCases().filter(({ name }) => !ELSEWHERE.test(name))) {
    it(`${testCase.name} -> as recorded`, async () => {
      const kit = await loadWireKit();
      const clock = new SteppedClock(STARTS_AT);
      const random = new SeededRandom(testCase.name);
      const strategies = defaultStrategies();
      const server = new ApiServer({
        clock,
        random,
        store: new ObjectStore(),
        strategies,
        admission: defaultAdmission(),
      });
      server.bootstrap();
      Object.assign(kit.time, {
        now: () => clock.now(),
        sleep: (ms: number) => clock.advanceTo(clock.now() + ms),
        fraction: () => random.fraction(),
      });
      const differences = await playCase(
        kit,
        wireTransport(
          server,
          strategies.map(({ resource }) => resource),
        ),
        testCase,
      );
      expect(differences).toEqual([]);
    });
  }
});
