// A kind that is served twice, under two groups: stored in one shape, read and written in either. Conversion happens at the
// door, so rules, storage and watches know the stored shape only.
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { Event } from '../../kube/resources/event.ts';
import { type SeriesEventObject, SeriesEvents } from '../../kube/resources/series-event.ts';
import { toCoreEvent, toSeriesEvent } from './event-views.ts';
import { seriesEventStrategy } from './event.ts';
import type { MapApply } from '../managedfields/apply-type.ts';
import type { Strategy } from './strategy.ts';
import { autoscalerView } from './table-autoscalers.ts';

export interface KindView {
  /** As clients of this view see it. */
  readonly resource: Resource<KubeObject>;
  /** Rules for writes through this view, on the stored shape. Its resource is the stored one. */
  readonly strategy: Strategy;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
  /** Refuses what is of another type than the path, where that is done in words of its own. */
  requireType?(raw: unknown): void;
  /** How server-side apply merges it, where no declaration says so. */
  readonly applyType?: MapApply;
  /** The other versions of a kind that clients define. */
  readonly siblings?: readonly KindView[];
}

/** Events of events.k8s.io are the events of the core group with other names for their fields. */
const seriesEventView: KindView = {
  resource: SeriesEvents,
  strategy: seriesEventStrategy,
  toStored: (object) => toCoreEvent(object as unknown as SeriesEventObject),
  fromStored: (object) => toSeriesEvent(object as unknown as Event),
};

/** All kinds that are served under a second group or version. */
export const KIND_VIEWS: readonly KindView[] = [seriesEventView, autoscalerView];
