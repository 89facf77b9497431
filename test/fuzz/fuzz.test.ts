import { describe, expect, it } from 'vitest';
import { fuzz } from './fuzz-run.ts';

const REQUESTS = 20_000;
/** Another one is an environment variable away; a failure prints the one it had. */
const SEED = process.env['MOORING_FUZZ_SEED'] ?? '20261115';

describe('hostile requests', () => {
  it(`P-HTTP-17 ${REQUESTS} of seed ${SEED} -> an answer to each, and no bug admitted`, async () => {
    const { failures, byCode } = await fuzz({ seed: SEED, requests: REQUESTS });
    const repeat = `repeat: MOORING_FUZZ_SEED=${SEED} npx vitest run test/fuzz`;
    expect(failures.slice(0, 5), `${failures.length} failures; ${repeat}`).toEqual([]);
    // A run that only ever met refusals would prove nothing.
    for (const code of [200, 201, 400, 404, 409, 422]) expect(byCode.get(code) ?? 0, String(code)).toBeGreaterThan(20);
  });
});
