// For tests of strategies.
import type { FieldError } from '../../kube/field-error.ts';
import { shapeObject } from '../../kube/go-shape.ts';
import { type KubeObject, apiVersionOf } from '../../kube/object.ts';
import type { Strategy } from './strategy.ts';

/** An object as a strategy meets it: what was typed, in its shape and with its defaults. */
export function decoded<T extends KubeObject>(strategy: Strategy<T>, typed: object): T {
  const { resource } = strategy;
  const named = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: { name: 'a' }, ...typed };
  return strategy.applyDefaults(shapeObject(resource, named));
}

/** Faults as a user reads them, without what follows a line break. */
export const told = (faults: readonly FieldError[]): readonly string[] =>
  faults.map(({ field, text }) => `${field}: ${text}`.split('\n', 1)[0] ?? '');

/** What a create of the typed object is told. */
export const toldOfNew = <T extends KubeObject>(strategy: Strategy<T>, typed: object): readonly string[] =>
  told(strategy.validate(decoded(strategy, typed)));

/** What an update from one typed object to another is told. */
export function toldOfChange<T extends KubeObject>(
  strategy: Strategy<T>,
  before: object,
  after: object,
): readonly string[] {
  const [old, now] = [decoded(strategy, before), decoded(strategy, after)];
  const prepared = strategy.prepareForUpdate?.(now, old, { now: 0 }) ?? now;
  return told(strategy.validateUpdate?.(prepared, old) ?? strategy.validate(prepared));
}
