import { describe, expect, test } from 'vitest';
import { toStatus } from '../api-error.ts';
import { Pods } from '../resources/pod.ts';
import { applyPatch, undecodableResult } from './patch.ts';

const POD = { metadata: { labels: { a: '1' }, finalizers: ['x/a'] } };

describe('applyPatch', () => {
  test('each type -> by its own rules', () => {
    const body = { metadata: { finalizers: ['x/b'] } };
    expect(applyPatch({ type: 'merge', body }, POD)).toHaveProperty('metadata.finalizers', ['x/b']);
    expect(applyPatch({ type: 'strategic', body }, POD, Pods.schema)).toHaveProperty('metadata.finalizers', [
      'x/b',
      'x/a',
    ]);
    const ops = [{ op: 'add', path: '/metadata/finalizers/-', value: 'x/b' }] as const;
    expect(applyPatch({ type: 'json', ops }, POD)).toHaveProperty('metadata.finalizers', ['x/a', 'x/b']);
  });

  test('a result that does not decode -> 422 about the patch', () => {
    const body = { spec: { storage: '1 Gi' } };
    const status = toStatus(undecodableResult({ type: 'strategic', body }, { x: 1 }, 'quantities must match'));
    expect(status.message).toBe(
      ' "" is invalid: patch: Invalid value: "map[spec:map[storage:1 Gi]]": quantities must match',
    );
    expect(status.details).toEqual({
      causes: [
        {
          reason: 'FieldValueInvalid',
          message: 'Invalid value: "map[spec:map[storage:1 Gi]]": quantities must match',
          field: 'patch',
        },
      ],
    });
    expect(undecodableResult({ type: 'merge', body }, { x: 'y' }, 'no').message).toBe(
      ' "" is invalid: patch: Invalid value: "{\\"x\\":\\"y\\"}": no',
    );
  });
});
