// An object with an applied configuration laid over it. Nothing disappears here: what the configuration leaves out is kept.
// Members of lists come in the configuration's order where it names them, else where they were.
// structured-merge-diff:typed/merge.go
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { type ApplyType, type ListApply, type MapApply, deduced } from './apply-type.ts';
import { ownValue } from './equal-values.ts';
import { stepTo } from './list-member.ts';

const NOTHING: JsonObject = {};

export const mergeObjects = (type: MapApply, live: JsonObject, applied: JsonObject): JsonObject =>
  mergeMaps(type, live, applied);

/** Undefined if neither leaves a value. */
function merge(type: ApplyType, live: unknown, applied: unknown): unknown {
  const plain = deduced(type, applied === undefined ? live : applied);
  if (plain.type === 'map' && !plain.isAtomic) {
    const [left, right] = [isJsonObject(live) ? live : NOTHING, isJsonObject(applied) ? applied : NOTHING];
    if (!isEmpty(left) || !isEmpty(right)) return mergeMaps(plain, left, right);
  }
  if (plain.type === 'list' && plain.relation !== 'atomic') {
    const [left, right] = [Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : []];
    if (left.length > 0 || right.length > 0) return mergeLists(plain, left, right);
  }
  return applied === undefined ? live : applied;
}

const isEmpty = (map: JsonObject): boolean => Object.keys(map).length === 0;

function mergeMaps(type: MapApply, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: [string, unknown][] = [];
  for (const key of new Set([...Object.keys(live), ...Object.keys(applied)])) {
    const of = type.fields.get(key)?.of ?? type.others;
    const [left, right] = [ownValue(live, key), ownValue(applied, key)];
    if (of === undefined || (left === undefined && right === undefined)) continue;
    const value = right === undefined ? left : merge(of, left, right);
    if (value !== undefined) merged.push([key, value]);
  }
  return Object.fromEntries(merged);
}

interface Indexed {
  readonly steps: readonly string[];
  /** The member of each step; null where several have the same, which are not merged into. */
  readonly members: ReadonlyMap<string, unknown>;
}

function indexed(type: ListApply, list: readonly unknown[]): Indexed {
  const members = new Map<string, unknown>();
  const steps = list.map((member) => stepTo(type, member));
  for (const [index, step] of steps.entries()) members.set(step, members.has(step) ? null : list[index]);
  return { steps, members };
}

/** A live member that the configuration names too waits until the configuration's order reaches it. */
function mergeLists(type: ListApply, live: readonly unknown[], applied: readonly unknown[]): unknown {
  const [left, right] = [indexed(type, live), indexed(type, applied)];
  const shared = right.steps.filter((step) => left.members.has(step));
  const taken = new Set<string>();
  const merged: unknown[] = [];
  let next = 0;
  let place = 0;
  const take = (step: string): void => {
    taken.add(step);
    merged.push(merge(type.of, left.members.get(step), right.members.get(step)));
    if (shared[0] === step) shared.shift();
    next++;
  };
  while (place < live.length || next < applied.length) {
    const step = left.steps[place];
    const wanted = right.steps[next];
    if (step !== undefined && step === wanted) {
      take(step);
      place++;
    } else if (step !== undefined && !right.members.has(step)) {
      merged.push(live[place++]);
    } else if (step !== undefined && wanted !== undefined && shared[0] !== undefined && shared[0] !== step) {
      place++;
    } else {
      if (step !== undefined && taken.has(step)) place++;
      if (wanted !== undefined) take(wanted);
    }
  }
  return merged.length === 0 ? undefined : merged.filter((member) => member !== undefined);
}
