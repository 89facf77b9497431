import { describe, expect, it } from 'vitest';
import { type Profile, profileOf } from './profile.ts';

describe('profileOf', () => {
  type Switch = Exclude<keyof Profile, 'multiAttach'>;
  it.each([
    ['sparesReadyNodes', '1.24.9', '1.25'],
    ['outOfServiceTaint', '1.25', '1.26'],
    ['failedDetachIsUncertain', '1.26.9', '1.26.10'],
    ['failedDetachIsUncertain', '1.27.6', '1.27.7'],
    ['failedDetachIsUncertain', '1.28.2', 'v1.28.3'],
    ['failedDetachIsUncertain', '1.28', '1.29'],
    ['hasDisableForceDetach', '1.29.0', '1.30.0'],
  ] as readonly (readonly [Switch, string, string])[])('%s: off in %s -> on in %s', (name, before, since) => {
    expect([profileOf(before)[name], profileOf(since)[name]]).toEqual([false, true]);
  });

  it.each([
    ['1.36.3', 'Multi-Attach error'],
    ['1.36.4', 'Waiting for detach'],
    ['1.35.9', 'Multi-Attach error'],
    ['1.37', 'Waiting for detach'],
  ])('%s -> events begin with %s', (version, prefix) => expect(profileOf(version).multiAttach.prefix).toBe(prefix));

  it('no version given -> that of the recordings', () => expect(profileOf()).toEqual(profileOf('1.36.3')));
  it('something else -> refused', () => expect(() => profileOf('latest')).toThrow('not a Kubernetes version: latest'));
});
