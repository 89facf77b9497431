import type { KeyPair } from './certificates/authority.ts';

const NAME = 'mooring';

/**
 * What kubectl needs to reach the server as someone, the administrator unless named. Holds a key: for the owner's eyes alone.
 * Written out by hand: every start writes dozens of them, and texts in JSON's quotes are YAML whatever they say.
 */
export function kubeconfig(
  server: string,
  authority: string,
  { key, certificate }: KeyPair,
  name = `${NAME}-admin`,
): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const user = JSON.stringify(name);
  return `apiVersion: v1
kind: Config
clusters:
  - name: ${NAME}
    cluster:
      server: ${JSON.stringify(server)}
      certificate-authority-data: ${base64(authority)}
users:
  - name: ${user}
    user:
      client-certificate-data: ${base64(certificate)}
      client-key-data: ${base64(key)}
contexts:
  - name: ${NAME}
    context:
      cluster: ${NAME}
      user: ${user}
current-context: ${NAME}
`;
}
