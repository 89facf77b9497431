import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import type { NodeCondition } from '../../kube/resources/node.ts';
import { type LeaseSign, type NodeHealth, type NodeSigns, decideHealth, unknownConditions } from './node-health.ts';

const ready = (heartbeat: string, status = 'True'): NodeCondition => ({
  type: 'Ready',
  status,
  lastHeartbeatTime: heartbeat,
  lastTransitionTime: 't',
});
const lease = (renewTime: string | undefined): LeaseSign => ({ renewTime, resourceVersion: '1' });
const saved = (parts: Partial<NodeHealth> = {}): NodeHealth => ({
  probedAt: 10 * SECOND_MS,
  ready: ready('h1'),
  lease: lease('r1'),
  ...parts,
});
const signs = (parts: Partial<NodeSigns> = {}): NodeSigns => ({
  now: 60 * SECOND_MS,
  createdAt: 5 * SECOND_MS,
  ready: ready('h1'),
  lease: lease('r1'),
  ...parts,
});
const NOW = 60 * SECOND_MS;

describe('decideHealth', () => {
  test.each<[string, NodeHealth | undefined, NodeSigns, NodeHealth]>([
    ['NL-01 nothing new                  -> as before', saved(), signs(), saved()],
    [
      'NL-01 lease renewed                -> heard of now',
      saved(),
      signs({ lease: lease('r2') }),
      saved({ probedAt: NOW, lease: lease('r2') }),
    ],
    [
      'NL-01 status posted                -> heard of now, the lease is to be counted anew',
      saved(),
      signs({ ready: ready('h2') }),
      { probedAt: NOW, ready: ready('h2'), lease: undefined },
    ],
    [
      'the pass after it                  -> the old lease counts as news',
      saved({ lease: undefined }),
      signs(),
      saved({ probedAt: NOW }),
    ],
    [
      'both new                           -> heard of now',
      saved(),
      signs({ ready: ready('h2'), lease: lease('r2') }),
      { probedAt: NOW, ready: ready('h2'), lease: lease('r2') },
    ],
    ['other status, same heartbeat       -> not noticed', saved(), signs({ ready: ready('h1', 'False') }), saved()],
    ['renewal from the past              -> not counted', saved(), signs({ lease: lease('r0') }), saved()],
    ['lease without time                 -> not counted', saved(), signs({ lease: lease(undefined) }), saved()],
    ['lease gone                         -> as before', saved(), signs({ lease: undefined }), saved()],
    [
      'first seen, with status            -> heard of now',
      undefined,
      signs({ lease: undefined }),
      { probedAt: NOW, ready: ready('h1'), lease: undefined },
    ],
    [
      'first seen, without status         -> heard of when created',
      undefined,
      signs({ ready: undefined, lease: undefined }),
      { probedAt: 5 * SECOND_MS, ready: undefined, lease: undefined },
    ],
    [
      'first seen, only a lease           -> heard of now',
      undefined,
      signs({ ready: undefined }),
      { probedAt: NOW, ready: undefined, lease: lease('r1') },
    ],
    [
      'status comes for the first time    -> heard of now',
      saved({ ready: undefined }),
      signs(),
      { probedAt: NOW, ready: ready('h1'), lease: undefined },
    ],
    [
      'status taken away                  -> silence goes on',
      saved(),
      signs({ ready: undefined }),
      saved({ ready: undefined }),
    ],
  ])('P-NL-3 %s', (_, before, seen, after) => {
    expect(decideHealth(before, seen)).toEqual(after);
  });
});

describe('unknownConditions', () => {
  const times = { createdAt: 'made', now: 'now' };
  const unknown = (type: string, parts: Partial<NodeCondition>): NodeCondition => ({
    type,
    status: 'Unknown',
    lastHeartbeatTime: 'made',
    lastTransitionTime: 'now',
    reason: 'NodeStatusNeverUpdated',
    message: 'Kubelet never posted node status.',
    ...parts,
  });
  const stopped = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };

  test('P-NL-7 nothing posted -> four conditions that say so', () => {
    expect(unknownConditions([], times)).toEqual(
      ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => unknown(type, {})),
    );
  });

  test('P-NL-3 posted -> Unknown in place with the old heartbeat; those of others stay', () => {
    const network: NodeCondition = {
      type: 'NetworkUnavailable',
      status: 'False',
      lastHeartbeatTime: 'h',
      lastTransitionTime: 't',
    };
    const quiet = unknown('PIDPressure', { ...stopped, lastTransitionTime: 'before' });
    expect(unknownConditions([network, ready('h1'), quiet], times)).toEqual([
      network,
      unknown('Ready', { ...stopped, lastHeartbeatTime: 'h1' }),
      quiet,
      unknown('MemoryPressure', {}),
      unknown('DiskPressure', {}),
    ]);
  });
});
