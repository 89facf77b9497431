// What a check says about a pod, or about a pod on one node. Two kinds of rejection: by `unschedulable` the removal of
// other pods may help, by `unresolvable` it cannot. An error says nothing about the node: the attempt is repeated.

export interface Rejection {
  readonly type: 'unschedulable' | 'unresolvable';
  /** At least one; each is counted per node in the message of the attempt. */
  readonly reasons: readonly string[];
}
export interface Failure {
  readonly type: 'error';
  readonly message: string;
}
export interface Success {
  readonly type: 'success';
}
export type Status = Success | Rejection | Failure;

export const SUCCESS: Success = { type: 'success' };
export const unschedulable = (...reasons: readonly string[]): Rejection => ({ type: 'unschedulable', reasons });
export const unresolvable = (...reasons: readonly string[]): Rejection => ({ type: 'unresolvable', reasons });
export const failure = (message: string): Failure => ({ type: 'error', message });
