import { createPrivateKey, createPublicKey } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { writeOwned } from './certificates/authority.ts';
import { generateKey, keyPem } from './certificates/certificate.ts';
import { KeyTokenSigner } from './token-signer.ts';

/** The signer of a directory, whose key is made once and kept there: tokens outlive the server that issued them. */
export function openTokenSigner(directory: string): KeyTokenSigner {
  const file = path.join(directory, 'sa.key');
  mkdirSync(directory, { recursive: true });
  if (!existsSync(file)) writeOwned(file, keyPem(generateKey()));
  chmodSync(file, 0o600);
  const key = createPrivateKey(readFileSync(file, 'utf8'));
  writeOwned(path.join(directory, 'sa.pub'), createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString());
  return new KeyTokenSigner(key);
}
