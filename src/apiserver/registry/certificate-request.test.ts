import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { toBase64 } from './base64.ts';
import { certificateRequestTraits as traits } from './certificate-request.ts';

const pem = (type: string, bytes = '\u0030\u0003abc'): string =>
  toBase64(`-----BEGIN ${type}-----\n${toBase64(bytes)}\n-----END ${type}-----\n`);
const SPEC = { request: pem('CERTIFICATE REQUEST'), signerName: 'example.com/x', usages: ['client auth'] };
const request = (spec: object = {}, status: object = {}): KubeObject =>
  ({ metadata: { name: 'a' }, spec: { ...SPEC, ...spec }, status }) as unknown as KubeObject;

const APPROVED = { type: 'Approved', status: 'True' };
const DENIED = { type: 'Denied', status: 'True' };
const NOW = { now: 0 };
const AT = { lastUpdateTime: '1970-01-01T00:00:00Z', lastTransitionTime: '1970-01-01T00:00:00Z' };
const approval = traits.subresources?.['approval'];

describe('a certificate request', () => {
  it('P-REG-37 made by somebody in the name of another -> names who made it', () => {
    const user = { name: 'ann', groups: ['g'], extra: { k: ['v'] } };
    const made = traits.prepareForCreate?.(request({ username: 'eve', uid: '7' }), { ...NOW, user });
    expect(made).toEqual(request({ username: 'ann', groups: ['g'], extra: { k: ['v'] } }));
  });

  it('P-REG-37 changed -> as it was asked', () => {
    const before = request({ username: 'ann' });
    expect(traits.prepareForUpdate?.(request({ username: 'eve' }), before, NOW)).toEqual(before);
  });

  it('P-REG-37 approved with another spec and a certificate -> the condition, with its times, and nothing else', () => {
    const sent = request({ username: 'eve' }, { certificate: 'x', conditions: [APPROVED] });
    const now = approval?.prepareForUpdate(sent, request(), NOW);
    expect(now).toEqual(request({}, { conditions: [{ ...APPROVED, ...AT }] }));
  });

  it.each([
    ['no request', { request: undefined }, 'spec.request'],
    ['a certificate as the request', { request: pem('CERTIFICATE') }, 'spec.request'],
    ['no DER in it', { request: pem('CERTIFICATE REQUEST', 'abc') }, 'spec.request'],
    ['a usage that there is not', { usages: ['nope'] }, 'spec.usages[0]'],
    ['a usage twice', { usages: ['any', 'any'] }, 'spec.usages[1]'],
    ['a signer without a path', { signerName: 'example.com' }, 'spec.signerName'],
    ['a signer without a domain', { signerName: 'example/x' }, 'spec.signerName'],
    ['less than ten minutes', { expirationSeconds: 599 }, 'spec.expirationSeconds'],
  ])('P-REG-37 %s -> refused there', (_what, spec, field) => {
    expect(traits.validate?.(request(spec)).map((fault) => fault.field)).toEqual([field]);
    expect(traits.validate?.(request())).toEqual([]);
  });
});

describe('a decision', () => {
  const before = request({}, { conditions: [{ ...APPROVED, ...AT }] });
  const texts = (faults: readonly { readonly text: string }[] | undefined): readonly string[] =>
    (faults ?? []).map(({ text }) => text);

  it('P-REG-37 written through status -> refused', () => {
    const sent = request({}, { conditions: [DENIED] });
    expect(texts(traits.validateStatusUpdate?.(sent, request()))).toEqual([
      'Forbidden: updates may not add a condition of type "Denied"',
    ]);
  });

  it('P-REG-37 taken back or turned round -> refused', () => {
    expect(texts(approval?.validateUpdate(request(), before))).toEqual([
      'Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const both = request({}, { conditions: [APPROVED, DENIED] });
    expect(texts(approval?.validateUpdate(both, before))).toEqual([
      'Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
  });

  it('P-REG-37 a certificate -> set through status once, and never through approval', () => {
    const signed = request({}, { ...partOf(before), certificate: pem('CERTIFICATE') });
    expect(traits.validateStatusUpdate?.(signed, before)).toEqual([]);
    expect(texts(approval?.validateUpdate(signed, before))).toEqual([
      'Forbidden: updates may not set certificate content',
    ]);
    expect(texts(traits.validateStatusUpdate?.(before, signed))).toEqual([
      'Forbidden: updates may not modify existing certificate content',
    ]);
  });
});

const partOf = (object: KubeObject): object => (object as unknown as { readonly status: object }).status;
