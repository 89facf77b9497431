import type { Cluster } from '../kube/cluster.ts';
import type { KubeObject } from '../kube/object.ts';

/** core/v1 Events as client-go writes them: correlator (count, aggregation) and spam filter per source and object. */
export interface Recorder {
  event(about: KubeObject, type: 'Normal' | 'Warning', reason: string, message: string): void;
  /** The same recorder writing through a turn's view, so that the Event names its cause. */
  via(cluster: Cluster): Recorder;
}
/** events.k8s.io/v1 with series, no spam filter: the scheduler's. */
export interface SeriesRecorder {
  event(regarding: KubeObject, event: SeriesEvent): void;
  via(cluster: Cluster): SeriesRecorder;
}
export interface SeriesEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly related?: KubeObject;
}
