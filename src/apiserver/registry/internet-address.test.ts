import { describe, expect, it } from 'vitest';
import { checkAddress, checkCanonicalAddress, checkCidr, warnOfAddress, warnOfBlock } from './internet-address.ts';

const details = (faults: readonly { readonly text: string }[]): readonly string[] => faults.map(({ text }) => text);

describe('P-REG-38 addresses', () => {
  it.each([
    ['10.9.8.7', []],
    ['2001:db8::1', []],
    ['FE80::00A', []],
    ['256.1.1.1', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['1::2::3', ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']],
    ['10.09.8.7', ['must not have leading 0s']],
    ['::1.02.3.4', ['must not have leading 0s']],
    ['::ffff:a09:807', ['must not be an IPv4-mapped IPv6 address']],
  ])('%s -> %j', (text, wanted) => {
    expect(details(checkAddress('at', text))).toEqual(wanted.map((detail) => expect.stringContaining(detail)));
  });

  it.each([
    ['2001:db8:0:0:0:0:2:1', '2001:db8::2:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['ABCD::0', 'abcd::'],
  ])('%s -> written %s', (text, canonical) => {
    const advice = `at: IPv6 address "${text}" should be in RFC 5952 canonical format ("${canonical}")`;
    expect(warnOfAddress('at', text)).toEqual(text === canonical ? [] : [advice]);
    expect(checkCanonicalAddress('at', canonical)).toEqual([]);
    expect(checkCanonicalAddress('at', text)).toHaveLength(text === canonical ? 0 : 1);
  });

  it.each([
    ['010.0.0.1', '10.0.0.1'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
  ])('%s where nobody checks it -> advised to write %s', (text, meant) => {
    expect(warnOfAddress('at', text)).toEqual([`at: non-standard IP address "${text}" is invalid: use "${meant}"`]);
  });
});

describe('P-REG-38 blocks', () => {
  it.each([
    ['10.0.0.0/8', []],
    ['::/0', []],
    ['10.0.0.0', ['must be a valid CIDR value']],
    ['10.0.0.0/33', ['must be a valid CIDR value']],
    ['10.0.0.1/8', ['must not have bits set beyond the prefix length']],
    ['10.0.0.0/08', ['must not have leading 0s in IP or prefix length']],
    ['::ffff:10.0.0.0/104', ['must not have an IPv4-mapped IPv6 address']],
  ])('%s -> %j', (text, wanted) => {
    expect(details(checkCidr('at', text))).toEqual(wanted.map((detail) => expect.stringContaining(detail)));
  });

  it('capital letters -> advised', () => {
    expect(warnOfBlock('at', 'FD00::/8')).toEqual([
      'at: IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")',
    ]);
  });
});
