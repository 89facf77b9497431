import { describe, expect, it } from 'vitest';
import type { CsiCode } from '../../csi/driver.ts';
import { classifyResize } from './node-expand.ts';

const ROWS: readonly (readonly [CsiCode, 'in-use' | 'infeasible' | 'final'])[] = [
  ['CANCELLED', 'final'],
  ['UNKNOWN', 'final'],
  ['INVALID_ARGUMENT', 'infeasible'],
  ['DEADLINE_EXCEEDED', 'final'],
  ['NOT_FOUND', 'infeasible'],
  ['ALREADY_EXISTS', 'final'],
  ['PERMISSION_DENIED', 'final'],
  ['RESOURCE_EXHAUSTED', 'final'],
  ['FAILED_PRECONDITION', 'in-use'],
  ['ABORTED', 'final'],
  ['OUT_OF_RANGE', 'infeasible'],
  ['UNIMPLEMENTED', 'final'],
  ['INTERNAL', 'final'],
  ['UNAVAILABLE', 'final'],
  ['DATA_LOSS', 'final'],
  ['UNAUTHENTICATED', 'final'],
];

describe('what a failed growth says of the claim', () => {
  it.each(ROWS)('P-KL-6 %s -> %s', (code, expected) => {
    expect(classifyResize(code)).toBe(expected);
  });
});
