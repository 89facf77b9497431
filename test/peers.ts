// What a test file does about the real programs that it needs.
import { expect, test } from 'vitest';
import { type PeerName, findPeer } from './peers-found.ts';

const isRequired = process.env['MOORING_REQUIRE_TOOLS'] === '1';

/**
 * The paths of all named programs, or undefined and a loud word that the tests of this file are skipped. Where tools are
 * required, their absence is a failing test.
 */
export function peersFor<Name extends PeerName>(
  what: string,
  names: readonly Name[],
): Readonly<Record<Name, string>> | undefined {
  const found = names.map((name) => [name, findPeer(name)] as const);
  const missing = found.filter(([, file]) => file === undefined).map(([name]) => name);
  test(`${what}: the tools are there, or not required`, () => {
    expect(isRequired ? missing : []).toEqual([]);
  });
  if (missing.length === 0) return Object.fromEntries(found) as Readonly<Record<Name, string>>;
  process.stderr.write(
    `SKIPPED: ${what}: no ${missing.join(', ')} (scripts/peers.sh ${missing.join(' ')} builds them)\n`,
  );
  return undefined;
}
