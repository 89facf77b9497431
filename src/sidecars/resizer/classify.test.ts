import { describe, expect, it } from 'vitest';
import type { CsiCode } from '../../csi/driver.ts';
import { type Meaning, classifyFailure } from './classify.ts';

describe('what a code of the driver means', () => {
  it.each<[CsiCode, Meaning]>([
    ['CANCELLED', 'uncertain'],
    ['DEADLINE_EXCEEDED', 'uncertain'],
    ['UNAVAILABLE', 'uncertain'],
    ['RESOURCE_EXHAUSTED', 'uncertain'],
    ['ABORTED', 'uncertain'],
    ['INVALID_ARGUMENT', 'infeasible'],
    ['OUT_OF_RANGE', 'infeasible'],
    ['NOT_FOUND', 'infeasible'],
    ['UNKNOWN', 'final'],
    ['ALREADY_EXISTS', 'final'],
    ['PERMISSION_DENIED', 'final'],
    ['FAILED_PRECONDITION', 'final'],
    ['UNIMPLEMENTED', 'final'],
    ['INTERNAL', 'final'],
    ['DATA_LOSS', 'final'],
    ['UNAUTHENTICATED', 'final'],
  ])('P-RZ-4 %s -> %s', (code, meaning) => {
    expect(classifyFailure(code)).toBe(meaning);
  });
});
