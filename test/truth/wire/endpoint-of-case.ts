import { AccessControl, DEFAULT_ISSUER } from '../../../src/apiserver/access-control.ts';
import { ApiServer } from '../../../src/apiserver/apiserver.ts';
import { byCertificate, byToken } from '../../../src/apiserver/http/authentication.ts';
import { generateKey } from '../../../src/apiserver/http/certificates/certificate.ts';
import { loadCel } from '../../../src/apiserver/http/cel/cel.ts';
import { Endpoint } from '../../../src/apiserver/http/endpoint.ts';
import { KeyTokenSigner } from '../../../src/apiserver/http/token-signer.ts';
import { ObjectStore } from '../../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../../src/apiserver/registry/strategies.ts';
import { tableStrategies } from '../../../src/apiserver/registry/table-kinds.ts';
import { silentLog } from '../../../src/base/log.ts';
import { SeededRandom } from '../../../src/base/random.ts';
import { SteppedClock } from '../../../src/base/virtual-clock.ts';
import { servedAdmission } from '../../../src/cli/served-admission.ts';
import { type WireCase, loadWireKit, playCase } from '../../contract/wire-kit.ts';
import { endpointTransport } from './endpoint-transport.ts';

const STARTS_AT = Date.UTC(2026, 0, 5, 8);
const FIRST_REVISION = 100_000;

/** Differences between a recording and what a fresh server answers to it over HTTP, without a network and in no time. */
export async function playOverHttp(testCase: WireCase): Promise<readonly string[]> {
  const kit = await loadWireKit();
  const clock = new SteppedClock(STARTS_AT);
  const random = new SeededRandom(testCase.name);
  const own = defaultStrategies();
  const store = new ObjectStore();
  // Revisions of a fresh server are numbers that stand in texts as well, where the player would take them for revisions.
  store.advance(FIRST_REVISION);
  const signer = new KeyTokenSigner(generateKey());
  const access = new AccessControl({ store, clock, random, signer });
  const server: ApiServer = new ApiServer({
    clock,
    random,
    store,
    strategies: [...own, ...tableStrategies(own)],
    rules: await loadCel(),
    admission: [...servedAdmission({ clock, random, server: () => server }), ...access.admission],
    authorizer: access.authorizer,
    posted: access.posted,
  });
  server.bootstrap();
  await access.reconcile(server);
  const endpoint = new Endpoint({
    server,
    clock,
    log: silentLog,
    authenticators: [byCertificate, byToken(access.tokens)],
    authorizer: access.authorizer,
    openId: {
      issuer: DEFAULT_ISSUER,
      algorithm: 'ES256',
      address: () => 'https://localhost:6443',
      keySet: signer.keySet,
    },
    names: ['localhost'],
    address: () => 'localhost:6443',
  });
  Object.assign(kit.time, {
    now: () => clock.now(),
    sleep: (ms: number) => clock.advanceTo(clock.now() + ms),
    fraction: () => random.fraction(),
  });
  return playCase(kit, endpointTransport(endpoint, clock), testCase);
}
