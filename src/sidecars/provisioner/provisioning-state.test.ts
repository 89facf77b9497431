import { expect, test } from 'vitest';
import type { CsiCode } from '../../csi/driver.ts';
import { type ProvisionMeaning, type ProvisioningState, classifyProvision, stateAfter } from './provisioning-state.ts';

test.each<[CsiCode, ProvisionMeaning]>([
  ['CANCELLED', 'uncertain'],
  ['DEADLINE_EXCEEDED', 'uncertain'],
  ['UNAVAILABLE', 'uncertain'],
  ['ABORTED', 'uncertain'],
  ['RESOURCE_EXHAUSTED', 'exhausted'],
  ['INVALID_ARGUMENT', 'infeasible'],
  ['UNKNOWN', 'final'],
  ['NOT_FOUND', 'final'],
  ['ALREADY_EXISTS', 'final'],
  ['PERMISSION_DENIED', 'final'],
  ['FAILED_PRECONDITION', 'final'],
  ['OUT_OF_RANGE', 'final'],
  ['UNIMPLEMENTED', 'final'],
  ['INTERNAL', 'final'],
  ['DATA_LOSS', 'final'],
  ['UNAUTHENTICATED', 'final'],
])('classifyProvision: %s -> %s', (code, meaning) => {
  expect(classifyProvision(code)).toBe(meaning);
});

test.each<[ProvisionMeaning, boolean, ProvisioningState]>([
  ['uncertain', true, 'in-background'],
  ['exhausted', true, 'reschedule'],
  ['exhausted', false, 'finished'],
  ['infeasible', true, 'finished'],
  ['final', true, 'finished'],
])('P-PROV-3 %s, may be rescheduled %s -> %s', (meaning, mayReschedule, state) => {
  expect(stateAfter(meaning, mayReschedule)).toBe(state);
});
