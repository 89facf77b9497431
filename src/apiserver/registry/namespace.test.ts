import { describe, expect, it } from 'vitest';
import { decoded, told, toldOfNew } from './makers.ts';
import { namespaceStrategy as strategy } from './namespace.ts';

describe('Namespace', () => {
  it('P-REG-22 created -> label with its name, own finalizer after those given, Active', () => {
    const typed = {
      metadata: { name: 'n', labels: { a: 'b' } },
      spec: { finalizers: ['example.com/x'] },
      status: { phase: 'Terminating' },
    };
    expect(strategy.prepareForCreate?.(decoded(strategy, typed), { now: 0 })).toMatchObject({
      metadata: { labels: { a: 'b', 'kubernetes.io/metadata.name': 'n' } },
      spec: { finalizers: ['example.com/x', 'kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('P-REG-22 the label removed by an update -> it is back', () => {
    expect(decoded(strategy, { metadata: { name: 'n', labels: {} } }).metadata.labels).toEqual({
      'kubernetes.io/metadata.name': 'n',
    });
  });

  it('P-REG-22 finalizers in an update of the object -> the stored ones stay; through finalize -> they change', () => {
    const old = decoded(strategy, { spec: { finalizers: ['kubernetes'] } });
    const sent = decoded(strategy, { spec: {} });
    expect(strategy.prepareForUpdate?.(sent, old, { now: 0 }).spec).toBe(old.spec);
    expect(strategy.subresources?.['finalize']?.prepareForUpdate(sent, old, { now: 0 })).toMatchObject({
      spec: {},
      status: old.status,
    });
  });

  it('P-REG-22 a plain word as finalizer -> refused', () => {
    expect(toldOfNew(strategy, { spec: { finalizers: ['plain'] } })).toEqual([
      'spec.finalizers: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  it.each<[string, object, string, readonly string[]]>([
    ['alive and Active -> fine', {}, 'Active', []],
    [
      'alive and Terminating -> refused',
      {},
      'Terminating',
      ['status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'],
    ],
    [
      'going and Active -> refused',
      { deletionTimestamp: '2021-01-01T00:00:00Z' },
      'Active',
      ['status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty'],
    ],
  ])('P-REG-22 %s', (_situation, metadata, phase, expected) => {
    const namespace = decoded(strategy, { metadata: { name: 'n', ...metadata }, status: { phase } });
    expect(told(strategy.validateStatusUpdate?.(namespace, namespace) ?? [])).toEqual(expected);
  });
});
