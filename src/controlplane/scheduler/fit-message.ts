// The sentence that condition and event carry. kubernetes:pkg/scheduler/framework/types.go#FitError
import type { Diagnosis } from './find-nodes.ts';
import type { Rejection } from './status.ts';

export interface NodeReasons {
  readonly nodeCount: number;
  readonly nodes: ReadonlyMap<string, Rejection>;
  readonly others?: Rejection;
}

export const NO_NODES_MESSAGE = 'no nodes available to schedule pods';

/** `suffix` is what was tried to make room, empty if nothing is to be said of it. */
export function fitMessage(diagnosis: Diagnosis, suffix: string): string {
  const { nodeCount, preFilter } = diagnosis;
  const text =
    preFilter === undefined
      ? reasonsMessage(diagnosis)
      : `0/${nodeCount} nodes are available: ${preFilter.reasons.join(', ')}.`;
  return suffix === '' ? text : `${text} ${suffix}`;
}

/** Each reason with the number of nodes it holds for, sorted as text: `1 a` comes before `2 b`, and `10 a` before `9 a`. */
export function reasonsMessage({ nodeCount, nodes, others }: NodeReasons): string {
  const counts = new Map<string, number>();
  const count = (rejection: Rejection | undefined, by: number): void => {
    for (const reason of rejection?.reasons ?? []) counts.set(reason, (counts.get(reason) ?? 0) + by);
  };
  for (const rejection of nodes.values()) count(rejection, 1);
  if (nodes.size < nodeCount) count(others, nodeCount - nodes.size);
  const told = [...counts].map(([reason, times]) => `${times} ${reason}`).toSorted();
  return told.length === 0
    ? `0/${nodeCount} nodes are available:`
    : `0/${nodeCount} nodes are available: ${told.join(', ')}.`;
}

/** kubernetes:pkg/apis/core/validation/events.go */
const NOTE_LENGTH_MAX = 1024;

/** Events take less than conditions do. */
export function noteOf(message: string): string {
  const suffix = ' ...';
  return message.length <= NOTE_LENGTH_MAX ? message : message.slice(0, NOTE_LENGTH_MAX - suffix.length) + suffix;
}
