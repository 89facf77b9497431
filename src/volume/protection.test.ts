import { expect, it } from 'vitest';
import { aClaim } from './makers.ts';
import { protectionOf } from './protection.ts';

const FINALIZER = 'kubernetes.io/pvc-protection';

it.each([
  ['living, without finalizer -> protect', {}, 'protect'],
  ['living, with finalizer -> nothing', { finalizers: [FINALIZER] }, 'nothing'],
  ['deleting, with finalizer -> release if unused', { finalizers: [FINALIZER], deleting: true }, 'release if unused'],
  ['deleting, without finalizer -> nothing', { finalizers: ['other'], deleting: true }, 'nothing'],
])('P-VOL-10 protectionOf: %s', (_name, parts, protection) => {
  expect(protectionOf(aClaim(parts), FINALIZER)).toBe(protection);
});
