import { expect, test } from 'vitest';
import { CsiStatusError, isCsiError } from './csi-error.ts';

test('P-CSI-9 a status -> the text Go prints', () => {
  expect(new CsiStatusError('RESOURCE_EXHAUSTED', 'no room').message).toBe(
    'rpc error: code = ResourceExhausted desc = no room',
  );
  expect(new CsiStatusError('CANCELLED', 'context canceled').message).toBe(
    'rpc error: code = Canceled desc = context canceled',
  );
});

test('isCsiError: a status and nothing else', () => {
  expect(isCsiError(new CsiStatusError('ABORTED', 'pending'))).toBe(true);
  expect(isCsiError(new Error('rpc error: code = Aborted desc = pending'))).toBe(false);
});
