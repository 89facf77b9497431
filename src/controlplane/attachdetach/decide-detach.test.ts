import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../base/clock.ts';
import { type DetachFacts, type DetachPolicy, decideDetach, nodeFacts } from './decide-detach.ts';

const facts = (given: Partial<DetachFacts>): DetachFacts => ({
  mountedByNode: true,
  requestedForMs: 0,
  nodeReady: false,
  outOfService: false,
  ...given,
});
const policy = (given: Partial<DetachPolicy> = {}): DetachPolicy => ({
  maxWaitForUnmountMs: 6 * MINUTE_MS,
  forcesOnTimeout: true,
  sparesReadyNodes: true,
  outOfServiceTaint: true,
  ...given,
});
const never = (waitsFor: string) => ({ type: 'wait', for: waitsFor, dueInMs: undefined });
const byNode = never('unmount by the node');
const until = (dueInMs: number) => ({ type: 'wait', for: 'unmount by a node that may be dead', dueInMs });
const timeout = { type: 'force-detach', because: 'timeout' };
const outOfService = { type: 'force-detach', because: 'out-of-service' };

describe('decideDetach', () => {
  it.each([
    ['unmounted -> detach', { mountedByNode: false }, {}, { type: 'detach' }],
    ['unmounted, ready node -> detach', { mountedByNode: false, nodeReady: true }, {}, { type: 'detach' }],
    [
      'AD-11 mounted, ready node, for ever -> wait for the node alone',
      { nodeReady: true, requestedForMs: 30 * MINUTE_MS },
      {},
      byNode,
    ],
    ['mounted, silent node, at once -> wait six minutes', {}, {}, until(6 * MINUTE_MS + 1)],
    ['mounted, silent node, 6 min -> wait', { requestedForMs: 6 * MINUTE_MS }, {}, until(1)],
    ['AD-04 mounted, silent node, 6 min+ -> force', { requestedForMs: 6 * MINUTE_MS + 1 }, {}, timeout],
    [
      'P-AD-5 unmounted in time but late, ready node -> counts as forced',
      { mountedByNode: false, nodeReady: true, requestedForMs: 7 * MINUTE_MS },
      {},
      timeout,
    ],
    ['AD-10 mounted, out of service, at once -> force', { outOfService: true }, {}, outOfService],
    [
      'mounted, out of service, ready node -> force all the same',
      { outOfService: true, nodeReady: true },
      {},
      outOfService,
    ],
    [
      'out of service and expired -> the timeout is named',
      { outOfService: true, requestedForMs: 7 * MINUTE_MS },
      {},
      timeout,
    ],
    [
      'AD-12 mounted, no such taint -> wait',
      { outOfService: false, requestedForMs: MINUTE_MS },
      {},
      until(5 * MINUTE_MS + 1),
    ],
    [
      'forced detach switched off, expired -> wait for the node alone',
      { requestedForMs: 7 * MINUTE_MS },
      { forcesOnTimeout: false },
      byNode,
    ],
    [
      'forced detach switched off, out of service -> force',
      { outOfService: true },
      { forcesOnTimeout: false },
      outOfService,
    ],
    [
      'forced detach switched off, unmounted late -> plain detach',
      { mountedByNode: false, requestedForMs: 7 * MINUTE_MS },
      { forcesOnTimeout: false },
      { type: 'detach' },
    ],
    [
      '1.24: mounted, ready node, 6 min+ -> force',
      { nodeReady: true, requestedForMs: 7 * MINUTE_MS },
      { sparesReadyNodes: false },
      timeout,
    ],
    [
      '1.25: out of service is not looked at -> wait',
      { outOfService: true },
      { outOfServiceTaint: false },
      until(6 * MINUTE_MS + 1),
    ],
  ] as const)('%s', (_name, given, rules, expected) => {
    expect(decideDetach(facts(given), policy(rules))).toEqual(expected);
  });
});

const NO_TIMES = { lastHeartbeatTime: null, lastTransitionTime: null };

describe('nodeFacts', () => {
  const node = (status: string | undefined, taints: readonly string[] = []) => ({
    spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
    status: status === undefined ? {} : { conditions: [{ type: 'Ready', status, ...NO_TIMES }] },
  });
  it.each([
    ['node is gone -> not ready', undefined, { nodeReady: false, outOfService: false }],
    ['no Ready condition -> not ready', node(undefined), { nodeReady: false, outOfService: false }],
    ['Ready True -> ready', node('True'), { nodeReady: true, outOfService: false }],
    ['Ready Unknown -> not ready', node('Unknown'), { nodeReady: false, outOfService: false }],
    [
      'out-of-service with any effect -> out of service',
      node('True', ['node.kubernetes.io/out-of-service']),
      { nodeReady: true, outOfService: true },
    ],
    [
      'another taint -> in service',
      node('False', ['node.kubernetes.io/unreachable']),
      { nodeReady: false, outOfService: false },
    ],
  ] as const)('%s', (_name, given, expected) => expect(nodeFacts(given)).toEqual(expected));
});
