import { stringify } from 'yaml';
import type { KeyPair } from './certificates/authority.ts';

const NAME = 'mooring';

/** What kubectl needs to reach the server as someone, the administrator unless named. Holds a key: for the owner's eyes alone. */
export function kubeconfig(
  server: string,
  authority: string,
  { key, certificate }: KeyPair,
  name = `${NAME}-admin`,
): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const cluster = { server, 'certificate-authority-data': base64(authority) };
  const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: NAME, cluster }],
    users: [{ name, user }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: name } }],
    'current-context': NAME,
  });
}
