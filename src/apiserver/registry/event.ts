// Events are stored as core/v1. Requests through events.k8s.io/v1 see and write the same objects in another view
// (event-views.ts) and are judged by stricter rules. kubernetes:pkg/registry/core/event/strategy.go, pkg/apis/core/validation/events.go
import { type FieldError, invalid, required } from '../../kube/field-error.ts';
import { faultsOfSubdomain } from '../../kube/names.ts';
import { type Event, Events } from '../../kube/resources/event.ts';
import { checkImmutable, checkQualifiedName, checkRequired } from './field-checks.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const TEXT_LENGTH_MAX = 128;
const NOTE_LENGTH_MAX = 1024;
const FOREIGN = 'does not match event.namespace';

const involvedObject = (key: keyof Event['involvedObject']) => (event: Event) => event.involvedObject[key] ?? '';

export const eventStrategy: Strategy<Event> = {
  resource: Events,
  hasGeneration: false,
  hasStatus: false,
  createsOnUpdate: true,
  metadataChecks: { update: [] },
  /** Names of old events are not checked beyond what every name needs. */
  nameRule: 'path-segment',
  fieldSelectors: {
    'involvedObject.kind': involvedObject('kind'),
    'involvedObject.namespace': involvedObject('namespace'),
    'involvedObject.name': involvedObject('name'),
    'involvedObject.uid': involvedObject('uid'),
    'involvedObject.apiVersion': involvedObject('apiVersion'),
    'involvedObject.resourceVersion': involvedObject('resourceVersion'),
    'involvedObject.fieldPath': involvedObject('fieldPath'),
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component ?? reportingComponent,
    type: ({ type }) => type ?? '',
  },
  applyDefaults: (event) => event,
  validate: (event) => checkEvent(event, 'reportingComponent'),
};

/** The same stored events for requests through events.k8s.io/v1, with that view's names of fields and its rules. */
export const seriesEventStrategy: Strategy<Event> = {
  ...eventStrategy,
  metadataChecks: { update: ['update'] },
  nameRule: 'subdomain',
  fieldSelectors: {
    'regarding.kind': involvedObject('kind'),
    'regarding.namespace': involvedObject('namespace'),
    'regarding.name': involvedObject('name'),
    'regarding.uid': involvedObject('uid'),
    'regarding.apiVersion': involvedObject('apiVersion'),
    'regarding.resourceVersion': involvedObject('resourceVersion'),
    'regarding.fieldPath': involvedObject('fieldPath'),
    reason: ({ reason }) => reason ?? '',
    reportingController: ({ reportingComponent }) => reportingComponent,
    type: ({ type }) => type ?? '',
  },
  validate: (event) => [...checkEvent(event, 'reportingController'), ...checkSeriesEvent(event)],
  validateUpdate: (event, before) => [...checkEvent(event, 'reportingController'), ...checkSeriesChange(event, before)],
};

/** `reporter` is what the view at hand calls the reporting controller. */
function checkEvent(event: Event, reporter: string): Faults {
  const { namespace = '' } = event.metadata;
  return [
    ...(event.eventTime === null ? checkOldEvent(event, namespace) : checkNewEvent(event, namespace, reporter)),
    ...faultsOfSubdomain(namespace).map((fault) => invalid('namespace', namespace, fault)),
  ];
}

/** An event lives in the namespace of what it is about; about cluster-wide objects it lives in `default`. */
function checkOldEvent(event: Event, namespace: string): Faults {
  const about = event.involvedObject.namespace ?? '';
  const isHome = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
  return isHome ? [] : [invalid('involvedObject.namespace', about, FOREIGN)];
}

function checkNewEvent(event: Event, namespace: string, reporter: string): Faults {
  const about = event.involvedObject.namespace ?? '';
  const isHome = about !== '' || namespace === 'default' || namespace === 'kube-system';
  const { reportingComponent, reportingInstance, action, reason, message = '' } = event;
  return [
    ...(isHome ? [] : [invalid('involvedObject.namespace', about, FOREIGN)]),
    ...checkRequired(reporter, reportingComponent),
    ...checkQualifiedName(reporter, reportingComponent),
    ...checkText('reportingInstance', reportingInstance),
    ...checkText('action', action),
    ...checkText('reason', reason),
    ...(message.length > NOTE_LENGTH_MAX
      ? [invalid('message', '', `can have at most ${NOTE_LENGTH_MAX} characters`)]
      : []),
  ];
}

const checkText = (path: string, text: string | undefined): Faults => [
  ...checkRequired(path, text),
  ...((text ?? '').length > TEXT_LENGTH_MAX
    ? [invalid(path, '', `can have at most ${TEXT_LENGTH_MAX} characters`)]
    : []),
];

function checkSeriesEvent(event: Event): Faults {
  const { type = '', source, count = 0 } = event;
  const unset = 'needs to be unset';
  return [
    ...checkSeries(event),
    ...(event.eventTime === null ? [required('eventTime')] : []),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...(event.firstTimestamp === null ? [] : [invalid('firstTimestamp', '', unset)]),
    ...(event.lastTimestamp === null ? [] : [invalid('lastTimestamp', '', unset)]),
    ...(count === 0 ? [] : [invalid('count', '', unset)]),
    ...(source.component === undefined && source.host === undefined ? [] : [invalid('source', '', unset)]),
  ];
}

function checkSeries({ series }: Event): Faults {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime === null ? [required('series.lastObservedTime')] : []),
  ];
}

/** Through this view an event only grows: its series counts on, the rest stays. */
function checkSeriesChange(event: Event, before: Event): Faults {
  const fixed = [
    ['involvedObject', event.involvedObject, before.involvedObject],
    ['reason', event.reason ?? '', before.reason ?? ''],
    ['message', event.message ?? '', before.message ?? ''],
    ['source', event.source, before.source],
    ['firstTimestamp', event.firstTimestamp, before.firstTimestamp],
    ['lastTimestamp', event.lastTimestamp, before.lastTimestamp],
    ['count', event.count ?? 0, before.count ?? 0],
    ['reason', event.reason ?? '', before.reason ?? ''],
    ['type', event.type ?? '', before.type ?? ''],
    ['eventTime', event.eventTime, before.eventTime],
    ['action', event.action ?? '', before.action ?? ''],
    ['related', event.related, before.related],
    ['reportingController', event.reportingComponent, before.reportingComponent],
    ['reportingInstance', event.reportingInstance, before.reportingInstance],
  ] as const;
  return [
    ...(sameValue(event.series, before.series) ? [] : checkSeries(event)),
    ...fixed.flatMap(([path, value, old]) => checkImmutable(path, value, old)),
  ];
}
