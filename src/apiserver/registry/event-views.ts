// The two views of one stored event. Nothing is lost either way: `toSeriesEvent` and `toCoreEvent` are inverse.
// kubernetes:pkg/apis/events/v1/conversion.go
import type { Event } from '../../kube/resources/event.ts';
import type { SeriesEventObject } from '../../kube/resources/series-event.ts';

/** An event as events.k8s.io/v1 shows it. */
export function toSeriesEvent(event: Event): SeriesEventObject {
  const { metadata, eventTime, reason, action, type, series, related, count, message, reportingInstance } = event;
  return {
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata,
    eventTime,
    ...(series === undefined ? {} : { series: { ...series, count: series.count ?? 0 } }),
    ...(event.reportingComponent === '' ? {} : { reportingController: event.reportingComponent }),
    ...(reportingInstance === '' ? {} : { reportingInstance }),
    ...(action === undefined ? {} : { action }),
    ...(reason === undefined ? {} : { reason }),
    regarding: event.involvedObject,
    ...(related === undefined ? {} : { related }),
    ...(message === undefined ? {} : { note: message }),
    ...(type === undefined ? {} : { type }),
    deprecatedSource: event.source,
    deprecatedFirstTimestamp: event.firstTimestamp,
    deprecatedLastTimestamp: event.lastTimestamp,
    ...(count === undefined ? {} : { deprecatedCount: count }),
  };
}

/** The stored form of an event that came through events.k8s.io/v1. */
export function toCoreEvent(event: SeriesEventObject): Event {
  const { metadata, eventTime, reason, action, type, series, related, note, deprecatedCount } = event;
  return {
    kind: 'Event',
    apiVersion: 'v1',
    metadata,
    involvedObject: event.regarding,
    ...(reason === undefined ? {} : { reason }),
    ...(note === undefined ? {} : { message: note }),
    source: event.deprecatedSource,
    firstTimestamp: event.deprecatedFirstTimestamp,
    lastTimestamp: event.deprecatedLastTimestamp,
    ...(deprecatedCount === undefined ? {} : { count: deprecatedCount }),
    ...(type === undefined ? {} : { type }),
    eventTime,
    ...(series === undefined ? {} : { series: coreSeries(series) }),
    ...(action === undefined ? {} : { action }),
    ...(related === undefined ? {} : { related }),
    reportingComponent: event.reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  };
}

/** A count of zero is written out in one view and left out in the other. */
function coreSeries({
  count,
  lastObservedTime,
}: NonNullable<SeriesEventObject['series']>): NonNullable<Event['series']> {
  return count === 0 ? { lastObservedTime } : { count, lastObservedTime };
}
