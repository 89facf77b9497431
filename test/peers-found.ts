// Real programs that tests use as tools. `scripts/peers.sh NAME...` builds them and prints their directory; tests look there,
// in MOORING_PEERS (a directory that holds some), in KUBEBUILDER_ASSETS and in PATH, and build nothing themselves.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

export type PeerName =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubelet'
  | 'kubectl'
  | 'kubectl-old'
  | 'csi-sanity'
  | 'kwok'
  | 'e2e.test';

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
