// Two clusters with the same real controllers: one on our server, one on a real kube-apiserver.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServedCluster } from './apiserver-controllers-story.ts';
import { type RealApiServer, startRealApiServer } from './real-api-server.ts';
import { StartedServer, builtProgram } from './started-server.ts';

/** With the identities that our server makes. */
export async function ourCluster(folder: string): Promise<{ server: StartedServer; cluster: ServedCluster }> {
  const data = path.join(folder, 'data');
  const server = await StartedServer.start(await builtProgram(folder), data);
  const identity = (name: string): string => path.join(data, 'identities', `${name}.kubeconfig`);
  const cluster = {
    admin: server.kubeconfig,
    manager: identity('kube-controller-manager'),
    scheduler: identity('kube-scheduler'),
    rootCa: path.join(data, 'pki', 'ca.crt'),
    accountKey: path.join(data, 'pki', 'sa.key'),
  };
  return { server, cluster };
}

export async function realCluster(
  peers: Readonly<Record<'etcd' | 'kube-apiserver', string>>,
  folder: string,
): Promise<{ server: RealApiServer; cluster: ServedCluster }> {
  const server = await startRealApiServer(peers, folder);
  return { server, cluster: controllerIdentities(server, folder) };
}

/** With identities for the controllers, made in the server's folder. */
export function controllerIdentities(
  server: Pick<RealApiServer, 'kubeconfig' | 'authority'>,
  folder: string,
): ServedCluster {
  const identity = (name: string): string => {
    const user = server.authority.issue(`system:${name}`, {});
    const file = path.join(folder, `${name}.kubeconfig`);
    const config = JSON.parse(readFileSync(server.kubeconfig, 'utf8')) as { readonly users: readonly [object] };
    const proof = { 'client-certificate-data': encoded(user.cert), 'client-key-data': encoded(user.key) };
    writeFileSync(file, JSON.stringify({ ...config, users: [{ ...config.users[0], user: proof }] }));
    return file;
  };
  return {
    admin: server.kubeconfig,
    manager: identity('kube-controller-manager'),
    scheduler: identity('kube-scheduler'),
    rootCa: path.join(folder, 'ca.crt'),
    accountKey: path.join(folder, 'sa.key'),
  };
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');
