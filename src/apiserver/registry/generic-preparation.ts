// What a write may change at all: generation, the split between an object and its status, and the system's own metadata.
import type { InstantMs } from '../../base/clock.ts';
import { StatusError } from '../../kube/api-error.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import type { Call, StoredObject } from './generic-call.ts';
import { withGeneration, withSystemFieldsOf } from './generic-metadata.ts';
import { emptyStatus } from './generic-decode.ts';
import { sameJson, sameValue } from './semantic-equal.ts';
import type { Strategy, StrategyContext, SubresourceRules } from './strategy.ts';

export function preparedForCreate(strategy: Strategy, given: StoredObject, context: StrategyContext): StoredObject {
  const allocated = withAllocations(strategy, given, undefined, context);
  let object =
    strategy.hasStatus && strategy.keepsStatusAtCreate !== true
      ? withStatus(allocated, emptyStatus(strategy.resource))
      : allocated;
  if (strategy.hasGeneration) object = withGeneration(object, 1);
  return (strategy.prepareForCreate?.(object, context) ?? object) as StoredObject;
}

export interface Preparation {
  readonly call: Call;
  readonly now: InstantMs;
  /** The record that goes with the write, whatever the object says. */
  readonly managedFields: ObjectMeta['managedFields'];
}

export function preparedForUpdate(
  strategy: Strategy,
  wanted: StoredObject,
  before: StoredObject,
  { call, now, managedFields }: Preparation,
): StoredObject {
  const object = withGeneration(wanted, before.metadata.generation);
  if (call.subresource === 'status') {
    return withSystemFieldsOf(preparedStatus(strategy, object, before, now), before, managedFields);
  }
  const below = rulesOf(strategy, call.subresource);
  const keepsStatus = strategy.hasStatus && below?.writesStatus !== true;
  const context = { now, dryRun: call.dryRun };
  const whole = call.subresource === undefined ? withAllocations(strategy, object, before, context) : object;
  const split = keepsStatus ? withStatus(whole, before['status']) : whole;
  const prepared = (below?.prepareForUpdate(split, before, context) ??
    strategy.prepareForUpdate?.(split, before, context) ??
    split) as StoredObject;
  const bumped =
    strategy.hasGeneration && !(sameSpec(strategy, prepared, before) && sameNotes(strategy, prepared, before));
  const kept = bumped ? withGeneration(prepared, (before.metadata.generation ?? 0) + 1) : prepared;
  return withSystemFieldsOf(kept, before, managedFields);
}

/** Throws why the server cannot give what the object needs. */
function withAllocations(
  strategy: Strategy,
  object: StoredObject,
  before: StoredObject | undefined,
  context: StrategyContext,
): StoredObject {
  const allocated = strategy.allocate?.(object, before, context) ?? object;
  if (allocated instanceof StatusError) throw allocated;
  return allocated as StoredObject;
}

/** The rules of a path below the object; a scale is written by those of the object itself. */
export const rulesOf = (strategy: Strategy, subresource: string | undefined): SubresourceRules | undefined =>
  subresource === undefined ? undefined : strategy.subresources?.[subresource];

function preparedStatus(strategy: Strategy, object: StoredObject, before: StoredObject, now: InstantMs): StoredObject {
  const split = withStatus({ ...before, metadata: object.metadata }, object['status']);
  return (strategy.prepareForStatusUpdate?.(split, before, { now }) ?? split) as StoredObject;
}

/** A status that is undefined is dropped when the object gets its stored form. */
function withStatus(object: StoredObject, status: unknown): StoredObject {
  return object['status'] === status ? object : { ...object, status };
}

const sameNotes = (strategy: Strategy, { metadata }: StoredObject, before: StoredObject): boolean =>
  strategy.countsAnnotations !== true || sameValue(metadata.annotations, before.metadata.annotations);

/** Of a kind without a `/status` path the status is part of what it specifies, if clients defined it. */
function sameSpec(strategy: Strategy, object: StoredObject, before: StoredObject): boolean {
  const { metadata: _metadata, status, ...spec } = object;
  const { metadata: _metadataBefore, status: statusBefore, ...specBefore } = before;
  if (strategy.comparesExactly !== true) return sameValue(spec, specBefore);
  return sameJson(spec, specBefore) && (strategy.hasStatus || sameJson(status, statusBefore));
}
