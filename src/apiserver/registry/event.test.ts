import { describe, expect, it } from 'vitest';
import { Events } from '../../kube/resources/event.ts';
import { SeriesEvents } from '../../kube/resources/series-event.ts';
import { shapeObject } from '../../kube/go-shape.ts';
import { eventStrategy, seriesEventStrategy } from './event.ts';
import { toCoreEvent, toSeriesEvent } from './event-views.ts';
import { toldOfChange, toldOfNew } from './makers.ts';

const old = (fields: object = {}) => ({
  metadata: { name: 'e', namespace: 'n' },
  involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' },
  ...fields,
});
const recent = (fields: object = {}) =>
  old({
    eventTime: '2021-01-01T00:00:00.000000Z',
    reportingComponent: 'example.com/attacher',
    reportingInstance: 'a-1',
    action: 'Attach',
    reason: 'Attached',
    type: 'Normal',
    ...fields,
  });

describe('events', () => {
  it.each<[string, object, readonly string[]]>([
    ['about a pod of its namespace -> fine', old(), []],
    [
      'about a pod elsewhere -> refused',
      old({ involvedObject: { namespace: 'm' } }),
      ['involvedObject.namespace: Invalid value: "m": does not match event.namespace'],
    ],
    [
      'about a volume, not in default -> refused',
      old({ involvedObject: { kind: 'PersistentVolume' } }),
      ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
    ],
    [
      'about a volume, in default -> fine',
      old({ metadata: { name: 'e', namespace: 'default' }, involvedObject: { kind: 'PersistentVolume' } }),
      [],
    ],
    [
      'with a time of the new kind and no reporter -> required',
      recent({ reportingComponent: '' }),
      [
        'reportingComponent: Required value',
        expect.stringContaining('reportingComponent: Invalid value: "": name part must be non-empty'),
        expect.any(String),
      ],
    ],
    ['with a time of the new kind and no action -> required', recent({ action: '' }), ['action: Required value']],
  ])('P-REG-32 core/v1 %s', (_situation, typed, expected) => {
    expect(toldOfNew(eventStrategy, typed)).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    ['complete -> fine', recent(), []],
    ['without a time -> required', old({ type: 'Normal' }), ['eventTime: Required value']],
    ['with a count of the old kind -> refused', recent({ count: 2 }), ['count: Invalid value: "": needs to be unset']],
    ['of an unknown type -> refused', recent({ type: 'Odd' }), ['type: Invalid value: "": has invalid value: Odd']],
    [
      'as a series of one -> refused',
      recent({ series: { count: 1, lastObservedTime: '2021-01-01T00:00:00.000000Z' } }),
      ['series.count: Invalid value: "": should be at least 2'],
    ],
  ])('P-REG-32 events.k8s.io/v1 %s', (_situation, typed, expected) => {
    expect(toldOfNew(seriesEventStrategy, typed)).toEqual(expected);
  });

  it('P-REG-32 through events.k8s.io/v1 a series grows -> fine; a reason changes -> immutable, told twice', () => {
    const series = { count: 2, lastObservedTime: '2021-01-01T00:05:00.000000Z' };
    expect(toldOfChange(seriesEventStrategy, recent(), recent({ series }))).toEqual([]);
    const changed = 'reason: Invalid value: "Other": field is immutable';
    expect(toldOfChange(seriesEventStrategy, recent(), recent({ reason: 'Other' }))).toEqual([changed, changed]);
    expect(toldOfChange(eventStrategy, recent(), recent({ reason: 'Other' }))).toEqual([]);
  });

  it.each<[string, object]>([
    [
      'old',
      old({
        reason: 'R',
        message: 'm',
        type: 'Warning',
        source: { component: 'c' },
        firstTimestamp: '2021-01-01T00:00:00Z',
        lastTimestamp: '2021-01-01T00:01:00Z',
        count: 3,
      }),
    ],
    [
      'new',
      recent({
        message: 'done',
        related: { kind: 'Node', name: 'x' },
        series: { count: 2, lastObservedTime: '2021-01-01T00:05:00.000000Z' },
      }),
    ],
    ['empty', old()],
  ])('P-REG-33 an %s event, seen through both views -> nothing is lost', (_kind, typed) => {
    const stored = shapeObject(Events, typed);
    const seen = toSeriesEvent(stored);
    expect(shapeObject(SeriesEvents, seen)).toEqual(seen);
    expect(toCoreEvent(seen)).toEqual(stored);
  });

  it('P-REG-33 the fields of an old event -> under their new names', () => {
    const stored = shapeObject(Events, old({ message: 'm', count: 3, source: { component: 'c' } }));
    expect(toSeriesEvent(stored)).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod' },
      note: 'm',
      deprecatedCount: 3,
      deprecatedSource: { component: 'c' },
    });
  });
});
