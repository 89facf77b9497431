// What `/metrics/resource` of a node tells: the processor time and memory of the node, its pods and their containers.
// kubernetes:pkg/kubelet/metrics/collectors/resource_metrics.go
import { type InstantMs, SECOND_MS } from '../../base/clock.ts';
import type { Family, Labels, Sample } from './exposition.ts';
import { type PodUsage, type Usage, coreNanoSeconds } from './usage.ts';

export interface ResourceFacts {
  readonly now: InstantMs;
  /** When the node came up. */
  readonly since: InstantMs;
  readonly node: Usage;
  readonly pods: readonly PodUsage[];
}

interface Used extends Usage {
  readonly since: InstantMs;
  readonly labels?: Labels;
}

export function resourceFamilies({ now, since, node, pods }: ResourceFacts): readonly Family[] {
  const podLabels = ({ pod }: PodUsage): Labels => ({
    namespace: pod.metadata.namespace ?? '',
    pod: pod.metadata.name,
  });
  const ofPods = pods.map((each): Used => ({ ...each, since: sinceOf(each, now), labels: podLabels(each) }));
  const ofContainers = pods.flatMap((each) =>
    each.containers.map((container): Used => ({
      ...container,
      since: container.startedAt,
      labels: { container: container.name, ...podLabels(each) },
    })),
  );
  return [
    ...families('node', [{ ...node, since }], now),
    ...families('pod', ofPods, now),
    ...families('container', ofContainers, now),
    {
      name: 'container_start_time_seconds',
      help: 'When the container started.',
      type: 'gauge',
      samples: ofContainers.map((each) => ({ ...labelsOf(each), value: each.since / SECOND_MS })),
    },
    {
      name: 'resource_scrape_error',
      help: 'Whether something could not be found out: 1 if so.',
      type: 'gauge',
      samples: [{ value: 0 }],
    },
  ];
}

/** A pod's time is that of its containers: it counts from the first. */
export const sinceOf = ({ containers }: PodUsage, now: InstantMs): InstantMs =>
  containers.reduce((least, { startedAt }) => Math.min(least, startedAt), now);

const labelsOf = ({ labels }: Used): Pick<Sample, 'labels'> => (labels === undefined ? {} : { labels });

function families(of: string, used: readonly Used[], now: InstantMs): readonly Family[] {
  return [
    {
      name: `${of}_cpu_usage_seconds_total`,
      help: `Processor time that the ${of} has used.`,
      type: 'counter',
      samples: used.map((each) => ({
        ...labelsOf(each),
        value: coreNanoSeconds(each, each.since, now) / 1e9,
        at: now,
      })),
    },
    {
      name: `${of}_memory_working_set_bytes`,
      help: `Memory that the ${of} works with.`,
      type: 'gauge',
      samples: used.map((each) => ({ ...labelsOf(each), value: each.memoryBytes, at: now })),
    },
  ];
}
