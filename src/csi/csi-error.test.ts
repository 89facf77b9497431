import { expect, test } from 'vitest';
import { CsiStatusError, attempt } from './csi-error.ts';

test('P-CSI-9 a status -> the text Go prints', () => {
  expect(new CsiStatusError('RESOURCE_EXHAUSTED', 'no room').message).toBe(
    'rpc error: code = ResourceExhausted desc = no room',
  );
  expect(new CsiStatusError('CANCELLED', 'context canceled').message).toBe(
    'rpc error: code = Canceled desc = context canceled',
  );
});

test('attempt: a status -> a value; anything else -> thrown on', async () => {
  const status = new CsiStatusError('ABORTED', 'pending');
  expect(await attempt(() => Promise.reject(status))).toEqual({ failed: true, error: status });
  expect(await attempt(() => Promise.resolve(7))).toEqual({ failed: false, value: 7 });
  await expect(attempt(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});
