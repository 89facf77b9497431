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
import { metadata } from './meta.ts';
import { ObjectReferenceSchema } from './references.ts';

export const EventSourceSchema = message('io.k8s.api.core.v1.EventSource', {
  component: omitempty(1, string),
  host: omitempty(2, string),
});
export interface EventSource extends Infer<typeof EventSourceSchema> {}

const EventSeriesSchema = message('io.k8s.api.core.v1.EventSeries', {
  count: omitempty(1, int32),
  lastObservedTime: nullable(2, microTime),
});
export interface EventSeries extends Infer<typeof EventSeriesSchema> {}

const EventSchema = message('io.k8s.api.core.v1.Event', {
  metadata: always(1, metadata),
  involvedObject: always(2, of(ObjectReferenceSchema)),
  reason: omitempty(3, string),
  message: omitempty(4, string),
  source: always(5, of(EventSourceSchema)),
  firstTimestamp: nullable(6, time),
  lastTimestamp: nullable(7, time),
  count: omitempty(8, int32),
  type: omitempty(9, string),
  eventTime: nullable(10, microTime),
  series: pointer(11, of(EventSeriesSchema)),
  action: omitempty(12, string),
  related: pointer(13, of(ObjectReferenceSchema)),
  reportingComponent: always(14, string),
  reportingInstance: always(15, string),
});

export interface Event extends Infer<typeof EventSchema> {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
}

export const Events: Resource<Event> = {
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
  schema: EventSchema,
};
