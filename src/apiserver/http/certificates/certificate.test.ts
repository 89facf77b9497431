import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../base/clock.ts';
import { CertificateAuthority, newAuthority, openAuthority } from './authority.ts';
import { integer, objectIdentifier, octetString, time } from './der.ts';

const NOW = Date.UTC(2026, 0, 5, 8);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('DER', () => {
  it.each([
    ['zero', integer(Buffer.from([0, 0])), '020100'],
    ['a number with its first bit set -> not negative', integer(Buffer.from([0xff])), '020200ff'],
    ['leading zeros', integer(Buffer.from([0, 1, 2])), '02020102'],
    ['an identifier with a large part', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
    ['a time before 2050', time(Date.UTC(2026, 1, 3, 4, 5, 6)), `170d${Buffer.from('260203040506Z').toString('hex')}`],
    ['a time after 2050', time(Date.UTC(2051, 1, 3, 4, 5, 6)), `180f${Buffer.from('20510203040506Z').toString('hex')}`],
    ['a content of 200 bytes -> two bytes of length', octetString(Buffer.alloc(200)), `0481c8${'00'.repeat(200)}`],
    ['a content of 300 bytes -> three bytes of length', octetString(Buffer.alloc(300)), `0482012c${'00'.repeat(300)}`],
  ])('%s -> the bytes of X.690', (_name, bytes, wanted) => {
    expect(hex(bytes)).toBe(wanted);
  });
});

describe('CertificateAuthority', () => {
  const pair = newAuthority(NOW);
  const authority = new CertificateAuthority(pair);
  const root = new X509Certificate(pair.certificate);

  it('its own certificate -> one that may sign others', () => {
    expect([root.ca, root.subject, root.issuer, root.verify(root.publicKey)]).toEqual([
      true,
      'CN=mooring-ca',
      'CN=mooring-ca',
      true,
    ]);
  });

  it('a server certificate -> for all names, signed, in force, with its key', () => {
    const names = ['localhost', '127.0.0.1', '::1', 'fe80::1:2'];
    const issued = authority.issue({ commonName: 'server' }, { type: 'server', names }, NOW);
    const certificate = new X509Certificate(issued.certificate);
    expect(certificate.checkIssued(root)).toBe(true);
    expect(certificate.verify(root.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(issued.key))).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    for (const address of ['127.0.0.1', '::1', 'fe80::1:2']) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.ca).toBe(false);
    expect(Date.parse(certificate.validFrom)).toBe(NOW - HOUR_MS);
    expect(Date.parse(certificate.validTo)).toBe(NOW + 365 * 24 * HOUR_MS);
  });

  it('a client certificate -> user and groups', () => {
    const subject = { commonName: 'jane', organizations: ['system:masters', 'devs'] };
    const { certificate } = authority.issue(subject, { type: 'client' }, NOW);
    expect(new X509Certificate(certificate).subject).toBe('O=system:masters\nO=devs\nCN=jane');
  });

  it('two certificates -> two serial numbers', () => {
    const serial = (): string =>
      new X509Certificate(authority.issue({ commonName: 'a' }, { type: 'client' }, NOW).certificate).serialNumber;
    expect(serial()).not.toBe(serial());
  });
});

describe('openAuthority', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mooring-authority-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('P-HTTP-7 opened twice -> the same authority, its files for the owner alone', () => {
    const first = openAuthority(folder, NOW);
    const second = openAuthority(folder, NOW + HOUR_MS);
    expect(second.certificate).toBe(first.certificate);
    for (const file of ['ca.key', 'ca.crt']) expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
    expect(readFileSync(path.join(folder, 'ca.key'), 'utf8')).toContain('PRIVATE KEY');
  });

  it('P-HTTP-7 opened when it soon runs out -> a new one', () => {
    const first = openAuthority(folder, NOW);
    const late = openAuthority(folder, NOW + 10 * 365 * 24 * HOUR_MS);
    expect(late.certificate).not.toBe(first.certificate);
  });
});
