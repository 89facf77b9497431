import { describe, expect, it } from 'vitest';
import { decoded, toldOfChange, toldOfNew } from './makers.ts';
import { storageClassStrategy as strategy } from './storage-class.ts';

const storageClass = (fields: object = {}) => ({ provisioner: 'disk.example.com', parameters: { a: 'b' }, ...fields });
const topology = (...values: string[]) => ({ matchLabelExpressions: [{ key: 'zone', values }] });

describe('StorageClass', () => {
  it('P-REG-4 defaults -> Delete and Immediate; expansion stays unset', () => {
    const made = decoded(strategy, storageClass());
    expect(made).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    expect(made).not.toHaveProperty('allowVolumeExpansion');
  });

  it.each<[string, object, readonly string[]]>([
    ['no provisioner -> required', { provisioner: '' }, ['provisioner: Required value']],
    [
      'unknown policy -> unsupported',
      { reclaimPolicy: 'Recycle' },
      ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
    ],
    [
      'unknown binding mode -> unsupported',
      { volumeBindingMode: 'Later' },
      ['volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"'],
    ],
    [
      'too many parameters -> too long',
      { parameters: Object.fromEntries(Array.from({ length: 513 }, (_, i) => [`k${i}`, 'v'])) },
      ['parameters: Too long: may not be more than 512 bytes'],
    ],
    [
      'the same topology in another order -> duplicate',
      { allowedTopologies: [topology('a', 'b'), topology('b', 'a')] },
      ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
    ],
    [
      'topology without values -> required',
      { allowedTopologies: [topology()] },
      ['allowedTopologies[0].matchLabelExpressions[0].values: Required value'],
    ],
    [
      'value twice -> duplicate',
      { allowedTopologies: [topology('a', 'a')] },
      ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"'],
    ],
  ])('P-REG-2 %s', (_situation, fields, expected) => {
    expect(toldOfNew(strategy, storageClass(fields))).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'parameters -> immutable',
      { parameters: { z: '1', a: 'c' } },
      ['parameters: Invalid value: {"a":"c","z":"1"}: field is immutable'],
    ],
    ['provisioner -> immutable', { provisioner: 'x' }, ['provisioner: Invalid value: "x": field is immutable']],
    [
      'reclaim policy -> immutable',
      { reclaimPolicy: 'Retain' },
      ['reclaimPolicy: Invalid value: "Retain": field is immutable'],
    ],
    [
      'binding mode -> immutable, the new value is told',
      { volumeBindingMode: 'WaitForFirstConsumer' },
      ['volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable'],
    ],
    [
      'expansion, mount options, topologies -> fine',
      { allowVolumeExpansion: true, mountOptions: ['ro'], allowedTopologies: [topology('a')] },
      [],
    ],
  ])('P-REG-10 %s', (_situation, fields, expected) => {
    expect(toldOfChange(strategy, storageClass(), storageClass(fields))).toEqual(expected);
  });

  it('P-REG-5 an old label in a topology -> warned about', () => {
    const old = {
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'beta.kubernetes.io/os', values: ['linux'] }] }],
    };
    expect(strategy.warnings?.(decoded(strategy, storageClass(old)), undefined)).toEqual([
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.14; use "kubernetes.io/os" instead',
    ]);
  });
});
