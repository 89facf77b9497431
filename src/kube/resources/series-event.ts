import {
  type Infer,
  always,
  int32,
  message,
  microTime,
  nullable,
  of,
  omitempty,
  pointer,
  string,
  time,
} from '../schema.ts';
import { type Resource } from '../object.ts';
import { EventSourceSchema } from './event.ts';
import { metadata } from './meta.ts';
import { ObjectReferenceSchema } from './references.ts';

const SeriesEventSeriesSchema = message('io.k8s.api.events.v1.EventSeries', {
  count: always(1, int32),
  lastObservedTime: nullable(2, microTime),
});
export interface SeriesEventSeries extends Infer<typeof SeriesEventSeriesSchema> {}

const SeriesEventObjectSchema = message('io.k8s.api.events.v1.Event', {
  metadata: always(1, metadata),
  eventTime: nullable(2, microTime),
  series: pointer(3, of(SeriesEventSeriesSchema)),
  reportingController: omitempty(4, string),
  reportingInstance: omitempty(5, string),
  action: omitempty(6, string),
  reason: omitempty(7, string),
  regarding: always(8, of(ObjectReferenceSchema)),
  related: pointer(9, of(ObjectReferenceSchema)),
  note: omitempty(10, string),
  type: omitempty(11, string),
  deprecatedSource: always(12, of(EventSourceSchema)),
  deprecatedFirstTimestamp: nullable(13, time),
  deprecatedLastTimestamp: nullable(14, time),
  deprecatedCount: omitempty(15, int32),
});

export interface SeriesEventObject extends Infer<typeof SeriesEventObjectSchema> {
  readonly apiVersion: 'events.k8s.io/v1';
  readonly kind: 'Event';
}

export const SeriesEvents: Resource<SeriesEventObject> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
  schema: SeriesEventObjectSchema,
};
