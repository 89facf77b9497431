import { describe, expect, it } from 'vitest';
import { type AttachFacts, decideAttach } from './decide-attach.ts';

const facts = (given: Partial<AttachFacts>): AttachFacts => ({
  state: 'detached',
  isExclusive: true,
  certainlyOn: [],
  multiAttachErrorReported: false,
  ...given,
});

describe('decideAttach', () => {
  it.each([
    ['AD-02 detached, nowhere else -> attach', {}, { type: 'attach' }],
    ['attached -> keep', { state: 'attached', certainlyOn: ['a'] }, { type: 'keep' }],
    ['AD-15 uncertain here -> attach again', { state: 'uncertain' }, { type: 'attach' }],
    [
      'P-AD-3 AD-07 exclusive, certainly elsewhere -> blocked, pods are told',
      { certainlyOn: ['b'] },
      { type: 'blocked', by: ['b'], tellPods: true },
    ],
    [
      'P-AD-4 exclusive, told before -> blocked in silence',
      { certainlyOn: ['b'], multiAttachErrorReported: true },
      { type: 'blocked', by: ['b'], tellPods: false },
    ],
    [
      'P-AD-3 exclusive, uncertain here, certainly elsewhere -> blocked',
      { state: 'uncertain', certainlyOn: ['b'] },
      { type: 'blocked', by: ['b'], tellPods: true },
    ],
    ['AD-06 shared, certainly elsewhere -> attach', { isExclusive: false, certainlyOn: ['b'] }, { type: 'attach' }],
  ] as const)('%s', (_name, given, expected) => expect(decideAttach(facts(given))).toEqual(expected));
});
