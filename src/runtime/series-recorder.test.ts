import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { serviceUnavailable } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type SeriesEventObject, SeriesEvents } from '../kube/resources/series-event.ts';
import type { SeriesEvent } from './recorder.ts';
import { EventSeriesRecorder } from './series-recorder.ts';
import { testContext, widget } from '../../test/runtime/test-context.ts';

const pod = (resourceVersion: string) => ({
  ...widget('db-0'),
  metadata: { ...widget('db-0').metadata, resourceVersion },
});
const failed = (note: string): SeriesEvent => ({
  type: 'Warning',
  reason: 'FailedScheduling',
  action: 'Scheduling',
  note,
});

function setUp() {
  const context = testContext();
  const recorder = new EventSeriesRecorder({ ...context, controller: 'default-scheduler', host: 'control-plane' });
  const wait = (ms: number) => context.clock.advanceTo(context.clock.now() + ms);
  const stored = () => [...context.cluster.contentOf(SeriesEvents).values()] as unknown as readonly SeriesEventObject[];
  const verbs = () => context.cluster.calls.map((call) => call.verb);
  return { ...context, recorder, wait, stored, verbs };
}

describe('EventSeriesRecorder', () => {
  it('P-RT-29 an event -> an events.k8s.io/v1 Event with reporter, micro time and references', async () => {
    const { recorder, wait, cluster } = setUp();
    recorder.event(pod('4'), { ...failed('0/3 nodes are available'), related: pod('9') });
    await wait(0);
    const body = cluster.calls[0]?.body as SeriesEventObject;
    const reference = { kind: 'Widget', namespace: 'ns', name: 'db-0', uid: 'uid-db-0', apiVersion: 'test/v1' };
    expect(body).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: body.metadata.name, namespace: 'ns' },
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'default-scheduler',
      reportingInstance: 'default-scheduler-control-plane',
      action: 'Scheduling',
      reason: 'FailedScheduling',
      regarding: { ...reference, resourceVersion: '4' },
      related: { ...reference, resourceVersion: '9' },
      note: '0/3 nodes are available',
      type: 'Warning',
    });
    expect(body.metadata.name).toMatch(/^db-0\.[0-9a-f]{16}$/);
  });

  it('P-RT-30 the second -> a series of two with the first note; later ones silent until six minutes of quiet', async () => {
    const { recorder, wait, stored, verbs, cluster } = setUp();
    recorder.event(pod('4'), failed('unbound claim'));
    await wait(SECOND_MS);
    recorder.event(pod('4'), failed('node selector'));
    await wait(0);
    expect(cluster.calls[1]?.body).toEqual({
      type: 'strategic',
      body: { series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } },
    });
    await wait(4 * MINUTE_MS);
    recorder.event(pod('4'), failed('node selector'));
    await wait(5 * MINUTE_MS);
    expect(verbs()).toEqual(['create', 'patch']);
    await wait(10 * MINUTE_MS);
    expect(verbs()).toEqual(['create', 'patch', 'patch']);
    expect(stored().map((each) => [each.note, each.series])).toEqual([
      ['unbound claim', { count: 3, lastObservedTime: '2026-01-01T00:04:01.000000Z' }],
    ]);
    recorder.event(pod('4'), failed('again'));
    await wait(0);
    expect(stored().length).toBe(2);
  });

  it('P-RT-30 the object was written in between -> an Event of its own', async () => {
    const { recorder, wait, stored } = setUp();
    recorder.event(pod('4'), failed('unbound claim'));
    recorder.event(pod('5'), failed('unbound claim'));
    await wait(0);
    expect(stored().map((each) => each.series)).toEqual([undefined, undefined]);
  });

  it('P-RT-30 a series that goes on -> its count written every thirty minutes', async () => {
    const { recorder, wait, stored } = setUp();
    for (let minute = 0; minute < 31; minute++) {
      recorder.event(pod('4'), failed('unbound claim'));
      await wait(MINUTE_MS);
    }
    expect(stored()[0]?.series?.count).toBe(30);
  });

  it('P-RT-30 the Event expired -> made anew with its series', async () => {
    const { recorder, wait, stored, cluster, verbs } = setUp();
    recorder.event(pod('4'), failed('unbound claim'));
    await wait(0);
    cluster.remove(SeriesEvents, `ns/${stored()[0]?.metadata.name}`);
    recorder.event(pod('4'), failed('unbound claim'));
    await wait(0);
    expect(verbs()).toEqual(['create', 'patch', 'create']);
    expect(stored()[0]?.series?.count).toBe(2);
  });

  it('P-RT-30 the second before the first Event is there -> no second Event, the series is written a try later', async () => {
    const { recorder, wait, stored, cluster, clock, verbs } = setUp();
    const slow: Cluster = Object.assign(Object.create(cluster) as Cluster, {
      create: async (...all: Parameters<typeof cluster.create>) => {
        await clock.sleep(5);
        return cluster.create(...all);
      },
      patch: (...all: Parameters<typeof cluster.patch>) => cluster.patch(...all),
    });
    recorder.via(slow).event(pod('4'), failed('unbound claim'));
    recorder.via(slow).event(pod('4'), failed('unbound claim'));
    await wait(SECOND_MS);
    expect(stored().map((each) => each.series)).toEqual([undefined]);
    await wait(12.5 * SECOND_MS);
    expect(stored().map((each) => each.series?.count)).toEqual([2]);
    expect(verbs()).toEqual(['patch', 'create', 'create', 'patch']);
  });

  it('P-RT-27 the server cannot be reached -> tried again 10 to 12.5 s later, at most 12 times', async () => {
    const { recorder, wait, clock, cluster, lines } = setUp();
    const triedAt: number[] = [];
    cluster.onRequest = () => {
      triedAt.push(clock.monotonic());
      throw serviceUnavailable('connection refused');
    };
    recorder.event(pod('4'), failed('unbound claim'));
    await wait(10 * MINUTE_MS);
    expect(triedAt.length).toBe(12);
    triedAt.slice(1).forEach((at, index) => {
      const gap = at - (triedAt[index] ?? 0);
      expect(gap).toBeGreaterThanOrEqual(10 * SECOND_MS);
      expect(gap).toBeLessThanOrEqual(12.5 * SECOND_MS + 1);
    });
    expect(lines.map((line) => line.level)).toEqual(['error']);
  });

  it('P-RT-29 idle -> a quiet world; signal -> no timer left', async () => {
    const { recorder, clock, stop } = setUp();
    recorder.event(pod('4'), failed('unbound claim'));
    expect(await clock.advanceUntilQuiet(MINUTE_MS)).toBe('quiet');
    stop.abort();
    await clock.advanceTo(clock.now());
    expect(clock.pendingTimers).toBe(0);
  });
});
