// A component's context for the tests of src/runtime.
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { SeededRandom } from '../../src/base/random.ts';
import type { Log } from '../../src/base/log.ts';
import type { KubeObject, Resource } from '../../src/kube/object.ts';
import { HistoryCluster } from './history-cluster.ts';
import { RecordedTimeline } from '../../src/runtime/timeline.ts';
import { lifetime } from '../../src/worlds/lifetime.ts';

export interface Widget extends KubeObject {
  readonly apiVersion: 'test/v1';
  readonly kind: 'Widget';
  readonly colours: readonly string[];
}
export const Widgets: Resource<Widget> = {
  group: 'test',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

export function widget(name: string, colours: readonly string[] = []): Widget {
  return {
    apiVersion: 'test/v1',
    kind: 'Widget',
    metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '', creationTimestamp: '' },
    colours,
  };
}

export const STARTS_AT = Date.UTC(2026, 0, 1);

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

export function testContext() {
  const lines: LogLine[] = [];
  const log: Log = { write: (level, message, fields) => void lines.push({ level, message, fields }) };
  const stop = lifetime();
  return {
    clock: new SteppedClock(STARTS_AT),
    random: new SeededRandom('test'),
    cluster: new HistoryCluster(),
    timeline: new RecordedTimeline(),
    log,
    lines,
    stop,
    signal: stop.signal,
  };
}
