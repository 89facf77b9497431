import { describe, expect, test } from 'vitest';
import type { Event } from '../kube/resources/event.ts';
import { type Seen, holds, parseCondition } from './condition.ts';

const meta = { name: 'data', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ...meta, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  spec: { accessModes: ['ReadWriteOnce'] },
  status: { phase: 'Bound', capacity: { storage: '1Gi' }, conditions: [{ type: 'Resizing', status: 'True' }] },
};
const event = { reason: 'FailedBinding', message: 'no persistent volumes available' } as Event;
const there: Seen = { object: claim, events: [event] };
const nothing: Seen = { object: undefined, events: [] };

describe('P-SIM-2 conditions', () => {
  const rows: readonly [string, Seen, boolean][] = [
    ['Bound', there, true],
    ['Lost', there, false],
    ['Bound', nothing, false],
    ['gone', nothing, true],
    ['gone', there, false],
    ['exists', there, true],
    ['status.capacity.storage = 1Gi', there, true],
    ['status.capacity.storage != 1Gi', there, false],
    ['status.conditions[Resizing].status = True', there, true],
    ['metadata.annotations[pv.kubernetes.io/bind-completed] = yes', there, true],
    ['spec.accessModes[0] = ReadWriteOnce', there, true],
    ['spec.volumeName exists', there, false],
    ['spec.volumeName missing', there, true],
    ['spec.volumeName missing', nothing, false],
    ['status.phase ~ ^B', there, true],
    ['event FailedBinding', there, true],
    ['event FailedBinding ~ no persistent', there, true],
    ['event FailedBinding ~ "other"', there, false],
    ['event ClaimLost', there, false],
  ];
  test.each(rows)('%s -> %#', (text, seen, expected) => {
    const condition = parseCondition(text);
    expect(typeof condition === 'string' ? condition : holds(condition, seen)).toBe(expected);
  });

  test.each(['', 'is it bound?', 'status.phase ~ (', 'event Failed ~ [', 'lowercase'])(
    '"%s" -> a sentence, not a condition',
    (text) => {
      expect(typeof parseCondition(text)).toBe('string');
    },
  );
});
