// A kind that is served twice, under two groups: stored in one shape, read and written in either. Conversion happens at the
// door, so rules, storage and watches know the stored shape only.
import type { Event } from '../../kube/resources/event.ts';
import { type SeriesEventObject, SeriesEvents } from '../../kube/resources/series-event.ts';
import { toCoreEvent, toSeriesEvent } from './event-views.ts';
import { seriesEventStrategy } from './event.ts';
import type { KindView } from './kind-view.ts';
import { autoscalerView } from './table-autoscalers.ts';

export type { KindView };

/** Events of events.k8s.io are the events of the core group with other names for their fields. */
const seriesEventView: KindView = {
  resource: SeriesEvents,
  strategy: seriesEventStrategy,
  toStored: (object) => toCoreEvent(object as unknown as SeriesEventObject),
  fromStored: (object) => toSeriesEvent(object as unknown as Event),
};

/** All kinds that are served under a second group or version. */
export const KIND_VIEWS: readonly KindView[] = [seriesEventView, autoscalerView];
