import { describe, expect, it } from 'vitest';
import { BETA_STORAGE_CLASS } from './annotations.ts';
import { claimClass, claimHasClass, hasSelectedNode, isDelayBinding, volumeClass } from './claim-class.ts';
import { defaultClass } from './default-class.ts';
import { aClaim, aClass, aVolume } from './makers.ts';

const beta = (name: string) => ({ annotations: { [BETA_STORAGE_CLASS]: name } });

describe('P-VOL-6 class of a claim', () => {
  it.each([
    ['unset', aClaim(), '', false],
    ['empty', aClaim({ className: '' }), '', true],
    ['named', aClaim({ className: 'gold' }), 'gold', true],
    ['annotation over field', aClaim({ className: 'gold', ...beta('tin') }), 'tin', true],
    ['empty annotation over field', aClaim({ className: 'gold', ...beta('') }), '', true],
  ])('%s', (_name, claim, className, hasClass) => {
    expect(claimClass(claim)).toBe(className);
    expect(claimHasClass(claim)).toBe(hasClass);
  });
  it('volume: annotation over field, unset equals empty', () => {
    expect(volumeClass(aVolume({ className: 'gold', ...beta('tin') }))).toBe('tin');
    expect(volumeClass(aVolume())).toBe('');
  });
});

describe('isDelayBinding', () => {
  const classes = new Map(
    [aClass({ name: 'wait', wait: true }), aClass({ name: 'now' })].map((each) => [each.metadata.name, each]),
  );
  const ask = (className?: string) =>
    isDelayBinding(aClaim(className === undefined ? {} : { className }), (name) => classes.get(name));
  it('no class, missing class and Immediate -> no; WaitForFirstConsumer -> yes', () => {
    expect([ask(), ask(''), ask('ghost'), ask('now'), ask('wait')]).toEqual([false, false, false, false, true]);
  });
  it('class without a mode -> error', () => {
    expect(() => isDelayBinding(aClaim({ className: 'odd' }), () => ({}))).toThrow(
      'VolumeBindingMode not set for StorageClass "odd"',
    );
  });
  it('selected-node counts by presence', () => {
    expect(hasSelectedNode(aClaim())).toBe(false);
    expect(hasSelectedNode(aClaim({ annotations: { 'volume.kubernetes.io/selected-node': '' } }))).toBe(true);
  });
});

describe('P-VOL-6 defaultClass', () => {
  const nameOf = (...classes: Parameters<typeof aClass>[0][]) =>
    defaultClass(classes.map((each) => aClass(each)))?.metadata.name;
  it('none marked -> none', () => expect(nameOf({ name: 'a' })).toBeUndefined());
  it('several -> the newest, then the first by name', () => {
    const created = '2026-02-01T00:00:00Z';
    expect(
      nameOf(
        { name: 'a', isDefault: true },
        { name: 'c', isDefault: true, created },
        { name: 'b', isDefault: true, created },
      ),
    ).toBe('b');
  });
  it('beta mark counts, other values do not', () => {
    const marked = (key: string, value: string) => {
      const plain = aClass({ name: value });
      return { ...plain, metadata: { ...plain.metadata, annotations: { [key]: value } } };
    };
    expect(defaultClass([marked('storageclass.kubernetes.io/is-default-class', 'yes')])).toBeUndefined();
    expect(defaultClass([marked('storageclass.beta.kubernetes.io/is-default-class', 'true')])?.metadata.name).toBe(
      'true',
    );
  });
});
