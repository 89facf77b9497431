// Real programs that tests use as tools. `scripts/peers.sh NAME...` builds them and prints their directory; tests look there,
// in MOORING_PEERS (a directory that holds some), in KUBEBUILDER_ASSETS and in PATH, and build nothing themselves.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

export type PeerName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'kubectl'
  | 'kubectl-old'
  | 'csi-sanity'
  | 'e2e.test';

const isRequired = process.env['MOORING_REQUIRE_TOOLS'] === '1';

/** The program's path, or undefined where it is not built. */
export function findPeer(name: PeerName): string | undefined {
  const { MOORING_PEERS, KUBEBUILDER_ASSETS, PATH = '' } = process.env;
  const folders = [MOORING_PEERS, KUBEBUILDER_ASSETS, builtFolder(), ...PATH.split(path.delimiter)];
  return folders
    .filter((folder) => folder !== undefined && folder !== '')
    .map((folder) => path.join(folder ?? '', name))
    .find((file) => existsSync(file));
}

/** Without names the script builds nothing and only tells where built peers are kept. */
function builtFolder(): string | undefined {
  const { status, stdout } = spawnSync('sh', ['scripts/peers.sh'], { encoding: 'utf8', timeout: 5000 });
  return status === 0 ? stdout.trim() : undefined;
}

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
