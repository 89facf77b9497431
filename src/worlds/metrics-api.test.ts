import { describe, expect, it } from 'vitest';
import type { MadeKind } from '../apiserver/http/served-apis.ts';
import type { NodeFigures } from '../kubelet/server/server.ts';
import { aPod } from '../volume/makers.ts';
import { metricsApi } from './metrics-api.ts';

const AT = Date.UTC(2026, 0, 1);
const USAGE = { nanoCores: 1_500_000, memoryBytes: 3 * 1024 + 1 };
const figuresOf = (labels: Readonly<Record<string, string>>, ...pods: readonly string[]): NodeFigures => ({
  at: AT,
  labels,
  node: USAGE,
  pods: pods.map((name) => ({
    pod: aPod({ name }),
    ...USAGE,
    containers: [{ name: 'main', startedAt: AT, ...USAGE }],
  })),
});

function objectsOf(plural: string, figures: ReadonlyMap<string, NodeFigures>): ReturnType<MadeKind['objects']> {
  return (
    metricsApi(() => figures)
      .find(({ facts }) => facts.plural === plural)
      ?.objects() ?? []
  );
}

describe('metrics.k8s.io', () => {
  const figures = new Map([
    ['node-a', figuresOf({ zone: 'x' }, 'b')],
    ['node-b', figuresOf({}, 'c', 'a')],
  ]);

  it('P-VN-2 nodes that can be reached -> one object each, as a metrics server writes it', () => {
    const [first, ...others] = objectsOf('nodes', figures);
    expect(first).toEqual({
      kind: 'NodeMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: { name: 'node-a', labels: { zone: 'x' }, creationTimestamp: '2026-01-01T00:00:00Z' },
      timestamp: '2026-01-01T00:00:00Z',
      window: '30s',
      usage: { cpu: '1500000n', memory: '4Ki' },
    });
    expect(others).toHaveLength(1);
  });

  it('P-VN-2 pods -> of all nodes in one order, by containers', () => {
    const pods = objectsOf('pods', figures);
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(pods[0]).toMatchObject({
      kind: 'PodMetrics',
      metadata: { namespace: 'default' },
      containers: [{ name: 'main', usage: { cpu: '1500000n', memory: '4Ki' } }],
    });
  });

  it('P-VN-2 nobody can be reached -> nothing', () => {
    expect(objectsOf('pods', new Map())).toEqual([]);
  });
});
