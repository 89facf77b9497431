import { describe, expect, it } from 'vitest';
import type { Container, ResourceRequirements } from '../../kube/resources/container.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { checkResize, resizedPod } from './pod-resize.ts';

const container = (resources: ResourceRequirements, more: Partial<Container> = {}): Container => ({
  name: 'a',
  image: 'i:1',
  resources,
  ...more,
});

const pod = (spec: object, more: object = {}): Pod =>
  ({ metadata: { name: 'p' }, spec, status: {}, ...more }) as unknown as Pod;

const small = pod({ containers: [container({ requests: { cpu: '1' } })] });
const textsOf = (wanted: Pod, before: Pod): readonly string[] =>
  checkResize(resizedPod(wanted, before), before, []).map(({ field, text }) => `${field}: ${text}`);

describe('what a resize changes', () => {
  it('P-REG-36 resources beside an image, a label and a deadline -> the resources alone', () => {
    const labelled = { name: 'p', labels: { a: 'b' } };
    const spec = {
      containers: [container({ requests: { cpu: '2' } }, { image: 'i:2' })],
      activeDeadlineSeconds: 1,
    };
    const now = resizedPod(pod(spec, { metadata: labelled }), small);
    expect(now).toEqual(pod({ containers: [container({ requests: { cpu: '2' } })] }));
    expect(checkResize(now, small, [])).toEqual([]);
  });

  it('P-REG-36 a limit where there was none, and resources of the pod as a whole -> allowed', () => {
    const spec = {
      containers: [container({ requests: { cpu: '1' }, limits: { memory: '1Gi' } })],
      resources: { requests: { cpu: '2' } },
    };
    expect(textsOf(pod(spec), small)).toEqual([]);
  });
});

describe('what a resize may not do', () => {
  const rows: readonly (readonly [string, Pod, Pod, readonly string[]])[] = [
    [
      'another resource',
      pod({ containers: [container({ requests: { cpu: '1', 'ephemeral-storage': '1Gi' } })] }),
      small,
      ['spec: Forbidden: only cpu and memory resources are mutable'],
    ],
    [
      'a request taken away',
      pod({ containers: [container({ requests: { memory: '1Gi' } })] }),
      small,
      ['spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed'],
    ],
    [
      'another class of service',
      pod({ containers: [container({ requests: { cpu: '1' } })] }),
      pod({ containers: [container({})] }, { status: { qosClass: 'BestEffort' } }),
      ['spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'],
    ],
    [
      'another container',
      pod({ containers: [container({}), container({}, { name: 'b' })] }),
      small,
      [
        'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
        'spec.containers: Forbidden: containers may not be added or removed on resize',
      ],
    ],
    [
      'another name',
      pod({ containers: [container({ requests: { cpu: '1' } }, { name: 'b' })] }),
      small,
      ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
    ],
    [
      'a static pod',
      small,
      pod(small.spec, { metadata: { name: 'p', annotations: { 'kubernetes.io/config.mirror': 'x' } } }),
      ['[]: Forbidden: static pods cannot be resized'],
    ],
    [
      'a node that does not tell resources',
      small,
      pod(small.spec, { status: { containerStatuses: [{ name: 'a', state: { running: {} } }] } }),
      ['spec: Forbidden: Pod running on node without support for resize'],
    ],
    [
      'pod-level resources taken away',
      small,
      pod({ ...small.spec, resources: { requests: { cpu: '2' } } }),
      ['spec.resources: Forbidden: pod-level resources cannot be removed'],
    ],
  ];
  it.each(rows)('P-REG-36 %s -> refused', (_what, wanted, before, texts) => {
    expect(textsOf(wanted, before)).toEqual(texts);
  });
});
