import { describe, expect, test } from 'vitest';
import { Gate } from './gate.ts';

describe('a gate', () => {
  test('that is open -> deliveries pass at once', () => {
    const gate = new Gate();
    const seen: number[] = [];
    gate.run(() => seen.push(1));
    expect(seen).toEqual([1]);
  });

  test('that was closed -> deliveries pass in the order they came when it opens', () => {
    const gate = new Gate();
    const seen: number[] = [];
    const fault = {};
    gate.close(fault);
    gate.run(() => seen.push(1));
    gate.run(() => seen.push(2));
    expect(seen).toEqual([]);
    gate.open(fault);
    gate.run(() => seen.push(3));
    expect(seen).toEqual([1, 2, 3]);
  });

  test('held by two -> opens when both let go', () => {
    const gate = new Gate();
    const [one, other] = [{}, {}];
    gate.close(one);
    gate.close(other);
    gate.open(one);
    expect(gate.isOpen).toBe(false);
    gate.open(other);
    expect(gate.isOpen).toBe(true);
  });

  test('closed again by a delivery -> the rest waits', () => {
    const gate = new Gate();
    const seen: number[] = [];
    const fault = {};
    gate.close(fault);
    gate.run(() => {
      seen.push(1);
      gate.close(fault);
    });
    gate.run(() => seen.push(2));
    gate.open(fault);
    expect(seen).toEqual([1]);
    gate.open(fault);
    expect(seen).toEqual([1, 2]);
  });

  test('whose receiver is gone -> nothing is delivered', () => {
    const gate = new Gate();
    const seen: number[] = [];
    gate.close(gate);
    gate.run(() => seen.push(1));
    gate.forget();
    gate.open(gate);
    expect(seen).toEqual([]);
  });
});
