import { describe, expect, it } from 'vitest';
import { Aborted } from '../../base/clock.ts';
import { CsiStatusError } from '../../csi/csi-error.ts';
import type { CsiCode } from '../../csi/driver.ts';
import { classifyMount, failureOf, mountFailure, wrapFailure } from './volume-failure.ts';

const ROWS: readonly (readonly [CsiCode, 'final' | 'uncertain'])[] = [
  ['CANCELLED', 'uncertain'],
  ['UNKNOWN', 'final'],
  ['INVALID_ARGUMENT', 'final'],
  ['DEADLINE_EXCEEDED', 'uncertain'],
  ['NOT_FOUND', 'final'],
  ['ALREADY_EXISTS', 'final'],
  ['PERMISSION_DENIED', 'final'],
  ['RESOURCE_EXHAUSTED', 'uncertain'],
  ['FAILED_PRECONDITION', 'final'],
  ['ABORTED', 'uncertain'],
  ['OUT_OF_RANGE', 'final'],
  ['UNIMPLEMENTED', 'final'],
  ['INTERNAL', 'final'],
  ['UNAVAILABLE', 'uncertain'],
  ['DATA_LOSS', 'final'],
  ['UNAUTHENTICATED', 'final'],
];

describe('what a failed mount says of the volume', () => {
  it.each(ROWS)('P-KL-5 %s -> %s', (code, expected) => {
    expect(classifyMount(code)).toBe(expected);
    expect(mountFailure(new CsiStatusError(code, 'boom')).progress).toBe(expected);
  });

  it('something else than a code -> final', () => {
    expect(failureOf(new Error('no such file'))).toMatchObject({ message: 'no such file', progress: 'final' });
  });

  it('told with what was being tried -> the text in front, and the class that is given', () => {
    expect(wrapFailure('outer', new Error('inner'), 'transient')).toMatchObject({
      message: 'outer: inner',
      progress: 'transient',
    });
  });

  it('the end of the process -> no failure of the volume', () => {
    expect(() => failureOf(new Aborted())).toThrow(Aborted);
  });
});
