import { describe, expect, it } from 'vitest';
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { Authorizer } from '../authorization.ts';
import { toBase64 } from '../registry/base64.ts';
import type { AdmissionRequest } from './admission.ts';
import { certificatePlugins } from './certificate-plugins.ts';

const REQUESTS: Resource<KubeObject> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  plural: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
};
const SIGNER = 'kubernetes.io/kube-apiserver-client';
/** Of eve, in the organization `system:masters`. */
const MASTER =
  'MIGmMFoCAQAwJzEXMBUGA1UECgwOc3lzdGVtOm1hc3RlcnMxDDAKBgNVBAMMA2V2ZTAqMAUGAytlcAMhADLQGcgS7HXSJN76Q7Rd4yHr8vxdCNAp9zqF7jp8I/vGoAAwBQYDK2VwA0EAAuA/EAXr9GkG2SkGH9RQvvYA4WI3atztWtDUVzGujQfCBl7wIRtdp6Vuy/yHCqdO+rdv4zGeK2mgtfb1QakECQ==';
/** Of ann, in the organizations `people` and `more`. */
const PERSON =
  'MIG5MG0CAQAwOjEMMAoGA1UEAwwDYW5uMQ8wDQYDVQQKDAZwZW9wbGUxCjAIBgNVBAsMAXgxDTALBgNVBAoMBG1vcmUwKjAFBgMrZXADIQAy0BnIEux10iTe+kO0XeMh6/L8XQjQKfc6he46fCP7xqAAMAUGAytlcANBAND3gVr2hgrCzUtidesm1spDivBgwS4/VcDRlhYTCEGjeqRgnEByLYuuGESVZhJWtyRFjaLcj+Hmzpf2MWLA1Q0=';

const made = (spec: object, status: object = {}): KubeObject =>
  ({ metadata: { name: 'a' }, spec: { signerName: SIGNER, ...spec }, status }) as unknown as KubeObject;
const pem = (der: string): string =>
  toBase64(`-----BEGIN CERTIFICATE REQUEST-----\n${der}\n-----END CERTIFICATE REQUEST-----\n`);

/** What all plugins say, where the user holds these rights: `approve example.com/*`. */
function outcome(request: Partial<AdmissionRequest>, rights: readonly string[] = []): string {
  const authorizer: Authorizer = {
    decide: (_user, access) => ({ allowed: 'name' in access && rights.includes(`${access.verb} ${access.name}`) }),
  };
  const whole: AdmissionRequest = {
    operation: 'UPDATE',
    resource: REQUESTS,
    subresource: undefined,
    namespace: undefined,
    name: 'a',
    object: made({}),
    before: made({}),
    user: 'ann',
    groups: [],
    dryRun: false,
    ...request,
  };
  const reader = { get: () => undefined, all: () => [] };
  try {
    for (const plugin of certificatePlugins(authorizer)) plugin.review?.(whole, reader);
    return 'goes on';
  } catch (error) {
    return String((error as Error).message);
  }
}

const refused = (why: string): string => `certificatesigningrequests.certificates.k8s.io "a" is forbidden: ${why}`;

describe('certificate plugins', () => {
  it.each([
    ['no right', [], refused(`user not permitted to approve requests with signerName "${SIGNER}"`)],
    [
      'the right to sign',
      [`sign ${SIGNER}`],
      refused(`user not permitted to approve requests with signerName "${SIGNER}"`),
    ],
    ['the right to this signer', [`approve ${SIGNER}`], 'goes on'],
    ['the right to all of the domain', ['approve kubernetes.io/*'], 'goes on'],
  ])('P-ADM-19 approval with %s -> %s', (_what, rights, expected) => {
    expect(outcome({ subresource: 'approval' }, rights)).toBe(expected);
  });

  it('P-ADM-19 approval of a request that is said to be for another signer -> judged by the stored one', () => {
    const object = made({ signerName: 'example.com/mine' });
    expect(outcome({ subresource: 'approval', object }, ['approve example.com/mine'])).toContain('forbidden');
  });

  it.each([
    [
      'a certificate, without the right',
      { certificate: 'x' },
      [],
      refused(`user not permitted to sign requests with signerName "${SIGNER}"`),
    ],
    [
      'a condition, without the right',
      { conditions: [{ type: 'Failed' }] },
      [],
      refused(`user not permitted to sign requests with signerName "${SIGNER}"`),
    ],
    ['a certificate, with the right', { certificate: 'x' }, [`sign ${SIGNER}`], 'goes on'],
    ['neither', {}, [], 'goes on'],
  ])('P-ADM-19 status with %s -> %s', (_what, status, rights, expected) => {
    expect(outcome({ subresource: 'status', object: made({}, status) }, rights)).toBe(expected);
  });

  it.each([
    [
      'masters, from the client signer',
      { request: pem(MASTER) },
      refused(`use of ${SIGNER} signer with system:masters group is not allowed`),
    ],
    ['other groups', { request: pem(PERSON) }, 'goes on'],
    ['masters, from another signer', { request: pem(MASTER), signerName: 'example.com/x' }, 'goes on'],
    ['what cannot be read', { request: pem(MASTER.slice(0, 40)) }, refused('failed to parse CSR: asn1: syntax error')],
  ])('P-ADM-19 a new request for %s -> %s', (_what, spec, expected) => {
    expect(outcome({ operation: 'CREATE', object: made(spec), before: undefined })).toBe(expected);
  });
});
