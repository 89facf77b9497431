// The certificate authority of one data directory: made once, kept there, readable by its owner alone. What it signs is
// signed anew at every start and never stored, except in the kubeconfig that the user is given.
import { X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { HOUR_MS, type InstantMs } from '../../../base/clock.ts';
import {
  type DistinguishedName,
  type Issuer,
  type Usage,
  generateKey,
  issueCertificate,
  keyPem,
} from './certificate.ts';

const DAY_MS = 24 * HOUR_MS;
const AUTHORITY_LASTS_MS = 3650 * DAY_MS;
const LEAF_LASTS_MS = 365 * DAY_MS;
const AUTHORITY_NAME: DistinguishedName = { commonName: 'mooring-ca' };
const OWNER_ONLY = 0o600;

/** PEM of both. */
export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

export class CertificateAuthority {
  readonly certificate: string;
  readonly #issuer: Issuer;

  constructor({ key, certificate }: KeyPair) {
    this.certificate = certificate;
    this.#issuer = { name: AUTHORITY_NAME, key: createPrivateKey(key) };
  }

  issue(subject: DistinguishedName, usage: Usage, now: InstantMs): KeyPair {
    const key = generateKey();
    const validity = { from: now, lastsMs: LEAF_LASTS_MS };
    const request = { subject, publicKey: createPublicKey(key), usage, validity };
    return { key: keyPem(key), certificate: issueCertificate(request, this.#issuer) };
  }
}

/** The authority of a directory, made if there is none or if the one there has run out. */
export function openAuthority(directory: string, now: InstantMs): CertificateAuthority {
  const files = { key: path.join(directory, 'ca.key'), certificate: path.join(directory, 'ca.crt') };
  mkdirSync(directory, { recursive: true });
  const known = existsSync(files.key) && existsSync(files.certificate) ? read(files) : undefined;
  if (known !== undefined && lastsBeyond(known.certificate, now)) {
    chmodSync(files.key, OWNER_ONLY);
    return new CertificateAuthority(known);
  }
  const made = newAuthority(now);
  writeOwned(files.key, made.key);
  writeOwned(files.certificate, made.certificate);
  return new CertificateAuthority(made);
}

const read = ({ key, certificate }: KeyPair): KeyPair => ({
  key: readFileSync(key, 'utf8'),
  certificate: readFileSync(certificate, 'utf8'),
});

const lastsBeyond = (certificate: string, now: InstantMs): boolean =>
  Date.parse(new X509Certificate(certificate).validTo) > now + LEAF_LASTS_MS;

export function newAuthority(now: InstantMs): KeyPair {
  const key = generateKey();
  const request = {
    subject: AUTHORITY_NAME,
    publicKey: createPublicKey(key),
    usage: { type: 'authority' },
    validity: { from: now, lastsMs: AUTHORITY_LASTS_MS },
  } as const;
  return { key: keyPem(key), certificate: issueCertificate(request, { name: AUTHORITY_NAME, key }) };
}

/** All or nothing: a reader never sees half a file, and nobody else sees any of it. */
export function writeOwned(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: OWNER_ONLY });
  chmodSync(draft, OWNER_ONLY);
  renameSync(draft, file);
}
