// X.509 certificates of an own authority: P-256 keys, ECDSA with SHA-256, version 3. RFC 5280 and RFC 5480.
import { type KeyObject, createECDH, createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import { HOUR_MS, type InstantMs } from '../../../base/clock.ts';
import {
  bitString,
  boolean,
  context,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

const OID = {
  ecPublicKey: objectIdentifier('1.2.840.10045.2.1'),
  prime256v1: objectIdentifier('1.2.840.10045.3.1.7'),
  commonName: objectIdentifier('2.5.4.3'),
  organization: objectIdentifier('2.5.4.10'),
  ecdsaWithSha256: objectIdentifier('1.2.840.10045.4.3.2'),
  subjectKeyIdentifier: objectIdentifier('2.5.29.14'),
  keyUsage: objectIdentifier('2.5.29.15'),
  subjectAltName: objectIdentifier('2.5.29.17'),
  basicConstraints: objectIdentifier('2.5.29.19'),
  authorityKeyIdentifier: objectIdentifier('2.5.29.35'),
  extendedKeyUsage: objectIdentifier('2.5.29.37'),
  serverAuth: objectIdentifier('1.3.6.1.5.5.7.3.1'),
  clientAuth: objectIdentifier('1.3.6.1.5.5.7.3.2'),
} as const;
/** Clocks of clients may be late. */
const BACKDATED_MS = HOUR_MS;
const SERIAL_BYTES = 16;
const COORDINATE_BYTES = 32;
/** The form of a point that is told by both its coordinates. SEC 1, 2.3.3 */
const UNCOMPRESSED = Buffer.from([4]);

export interface DistinguishedName {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export type Usage =
  | { readonly type: 'authority' }
  | { readonly type: 'client' }
  /** DNS names and IP addresses that the server may be called by. */
  | { readonly type: 'server'; readonly names: readonly string[] };

export interface Validity {
  readonly from: InstantMs;
  readonly lastsMs: number;
}

export interface Issuer {
  readonly name: DistinguishedName;
  readonly key: KeyObject;
}

export interface CertificateRequest {
  readonly subject: DistinguishedName;
  readonly publicKey: KeyObject;
  readonly usage: Usage;
  readonly validity: Validity;
}

/**
 * A new P-256 key. Not by `generateKeyPairSync`: a key of that one shares its lock with the job that made it, and when the job is
 * collected while the key is being exported, the one thread waits for itself for ever (seen with Node 20).
 */
export function generateKey(): KeyObject {
  const pair = createECDH('prime256v1');
  const point = pair.generateKeys().subarray(UNCOMPRESSED.length);
  const key = {
    kty: 'EC',
    crv: 'P-256',
    d: pair.getPrivateKey('base64url'),
    x: point.subarray(0, COORDINATE_BYTES).toString('base64url'),
    y: point.subarray(COORDINATE_BYTES).toString('base64url'),
  };
  return createPrivateKey({ format: 'jwk', key });
}

export const keyPem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();

/** The certificate as PEM. */
export function issueCertificate(request: CertificateRequest, issuer: Issuer): string {
  const { subject, publicKey, usage, validity } = request;
  const algorithm = sequence(OID.ecdsaWithSha256);
  const body = sequence(
    context(0, integer(Buffer.from([2]))),
    integer(randomBytes(SERIAL_BYTES)),
    algorithm,
    nameBytes(issuer.name),
    sequence(time(validity.from - BACKDATED_MS), time(validity.from + validity.lastsMs)),
    nameBytes(subject),
    publicKeyInfo(publicKey),
    context(3, sequence(...extensions(usage, publicKey, issuer.key))),
  );
  const signature = sign('sha256', body, issuer.key);
  return pem(sequence(body, algorithm, bitString(signature)));
}

function pem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function nameBytes({ commonName, organizations = [] }: DistinguishedName): Uint8Array {
  const part = (oid: Uint8Array, value: string): Uint8Array => set(sequence(oid, utf8String(value)));
  return sequence(
    ...organizations.map((organization) => part(OID.organization, organization)),
    part(OID.commonName, commonName),
  );
}

function extensions(usage: Usage, subjectKey: KeyObject, issuerKey: KeyObject): readonly Uint8Array[] {
  const identifiers = [
    extension(OID.subjectKeyIdentifier, octetString(keyIdentifier(subjectKey))),
    extension(OID.authorityKeyIdentifier, sequence(context(0, keyIdentifier(issuerKey), { constructed: false }))),
  ];
  switch (usage.type) {
    case 'authority':
      return [
        critical(OID.basicConstraints, sequence(boolean(true))),
        critical(OID.keyUsage, CERTIFICATE_AND_LIST_SIGNING),
        ...identifiers,
      ];
    case 'client':
      return [...CLIENT_EXTENSIONS, ...identifiers];
    case 'server': {
      const names = sequence(...usage.names.map(alternativeName));
      return [...SERVER_EXTENSIONS, extension(OID.subjectAltName, names), ...identifiers];
    }
  }
}

const extension = (oid: Uint8Array, value: Uint8Array): Uint8Array => sequence(oid, octetString(value));

const critical = (oid: Uint8Array, value: Uint8Array): Uint8Array => sequence(oid, boolean(true), octetString(value));

/** Bits are counted from the left: 0 is digitalSignature, 5 keyCertSign, 6 cRLSign. */
const DIGITAL_SIGNATURE = bitString(Buffer.from([0b1000_0000]), 7);
const CERTIFICATE_AND_LIST_SIGNING = bitString(Buffer.from([0b0000_0110]), 1);

const leafExtensions = (purpose: Uint8Array): readonly Uint8Array[] => [
  critical(OID.basicConstraints, sequence()),
  critical(OID.keyUsage, DIGITAL_SIGNATURE),
  extension(OID.extendedKeyUsage, sequence(purpose)),
];
const CLIENT_EXTENSIONS = leafExtensions(OID.clientAuth);
const SERVER_EXTENSIONS = leafExtensions(OID.serverAuth);

/** Any name for a key will do as long as both sides of a chain use the same; this is the first way of RFC 7093. */
function keyIdentifier(key: KeyObject): Uint8Array {
  return createHash('sha256').update(publicKeyInfo(key)).digest().subarray(0, 20);
}

const KEY_ALGORITHM = sequence(OID.ecPublicKey, OID.prime256v1);

/** The public half of a key, as certificates hold it. Put together here because the library takes 50 times longer to write it. */
function publicKeyInfo(key: KeyObject): Uint8Array {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const point = Buffer.concat([UNCOMPRESSED, Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return sequence(KEY_ALGORITHM, bitString(point));
}

function alternativeName(name: string): Uint8Array {
  const plain = { constructed: false };
  if (isIPv4(name)) return context(7, Buffer.from(name.split('.').map(Number)), plain);
  if (isIPv6(name)) return context(7, ipv6Bytes(name), plain);
  return context(2, Buffer.from(name, 'latin1'), plain);
}

/** `::1` and the like: the gap stands for as many zero groups as are missing. */
function ipv6Bytes(address: string): Uint8Array {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): readonly number[] =>
    text === '' ? [] : text.split(':').map((each) => parseInt(each, 16));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const gap = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...gap, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
