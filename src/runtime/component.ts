import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { Timeline } from './timeline.ts';

/** All a component gets. Only worlds/ builds one. */
export interface ComponentContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly cluster: Cluster;
  readonly timeline: Timeline;
  readonly log: Log;
  /** Fires when the component must stop or is killed by a fault. */
  readonly signal: AbortSignal;
}
export interface Component {
  readonly name: string;
  start(context: ComponentContext): void;
}
