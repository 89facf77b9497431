import { describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { StatusError, internal, serviceUnavailable } from '../kube/api-error.ts';
import type { KubeObject } from '../kube/object.ts';
import { type Event, Events } from '../kube/resources/event.ts';
import { EventRecorder, QUEUED_EVENTS_MAX } from './recorder.ts';
import { STARTS_AT, testContext, widget } from '../../test/runtime/test-context.ts';

const claim = { ...widget('data'), metadata: { ...widget('data').metadata, resourceVersion: '17' } };
const volume: KubeObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv-1', uid: 'uid-pv', resourceVersion: '3', creationTimestamp: '' },
};

const terminating = new StatusError({
  code: 403,
  reason: 'Forbidden',
  message: 'events "e" is forbidden: unable to create new content in namespace ns because it is being terminated',
  details: { causes: [{ reason: 'NamespaceTerminating' }] },
});

function setUp(host?: string) {
  const context = testContext();
  const recorder = new EventRecorder({
    ...context,
    component: 'persistentvolume-controller',
    ...(host === undefined ? {} : { host }),
  });
  const settle = () => context.clock.advanceTo(context.clock.now());
  const wait = (ms: number) => context.clock.advanceTo(context.clock.now() + ms);
  const stored = (): readonly Event[] => [...context.cluster.contentOf(Events).values()] as unknown as readonly Event[];
  const verbs = () => context.cluster.calls.map((call) => call.verb);
  return { ...context, recorder, settle, wait, stored, verbs };
}

describe('EventRecorder', () => {
  it('P-RT-22 an event -> a core/v1 Event with the fields client-go writes', async () => {
    const { recorder, settle, cluster } = setUp();
    recorder.event(claim, 'Warning', 'ProvisioningFailed', 'no space');
    expect(cluster.calls).toEqual([]);
    await settle();
    const body = cluster.calls[0]?.body as Event;
    expect(body).toEqual({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: body.metadata.name, namespace: 'ns' },
      involvedObject: {
        kind: 'Widget',
        namespace: 'ns',
        name: 'data',
        uid: 'uid-data',
        apiVersion: 'test/v1',
        resourceVersion: '17',
      },
      reason: 'ProvisioningFailed',
      message: 'no space',
      source: { component: 'persistentvolume-controller' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
      type: 'Warning',
      eventTime: null,
      reportingComponent: 'persistentvolume-controller',
      reportingInstance: '',
    });
  });

  it('P-RT-22 from a node -> the node is host and reporting instance', async () => {
    const { recorder, settle, stored } = setUp('node-a');
    recorder.event(claim, 'Normal', 'Mounted', 'ok');
    await settle();
    expect(stored()[0]?.source).toEqual({ component: 'persistentvolume-controller', host: 'node-a' });
    expect(stored()[0]?.reportingInstance).toBe('node-a');
  });

  it('P-RT-22 about an object without a namespace -> in namespace default', async () => {
    const { recorder, settle, stored } = setUp();
    recorder.event(volume, 'Normal', 'VolumeDeleted', 'gone');
    await settle();
    expect(stored()[0]?.metadata.namespace).toBe('default');
  });

  it('P-RT-23 names -> object and unix nanoseconds in hexadecimal, unique within an instant; else a uid', async () => {
    const { recorder, settle, stored } = setUp();
    for (let index = 0; index < 9; index++) recorder.event(claim, 'Normal', 'Reason', `message ${index}`);
    recorder.event({ ...claim, metadata: { ...claim.metadata, name: 'Not:A:Subdomain' } }, 'Normal', 'Reason', 'm');
    await settle();
    const names = stored().map((each) => each.metadata.name);
    expect(new Set(names).size).toBe(10);
    for (const name of names.slice(0, 9)) {
      const nanos = BigInt(`0x${/^data\.([0-9a-f]{16})$/.exec(name)?.[1]}`);
      expect(nanos / 1_000_000n).toBe(BigInt(STARTS_AT));
    }
    expect(names[9]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  it('P-RT-24 the same again -> counted by a patch of count, lastTimestamp and message', async () => {
    const { recorder, wait, settle, stored, cluster, verbs } = setUp();
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    await wait(MINUTE_MS);
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    await settle();
    expect(verbs()).toEqual(['create', 'patch']);
    expect(cluster.calls[1]?.body).toEqual({
      type: 'strategic',
      body: { count: 2, lastTimestamp: '2026-01-01T00:01:00Z', message: 'for a pod' },
    });
    expect(stored().map((each) => [each.count, each.firstTimestamp])).toEqual([[2, '2026-01-01T00:00:00Z']]);
  });

  it('P-RT-24 the same again after the Event expired -> made anew with its count and first time', async () => {
    const { recorder, wait, settle, stored, cluster, verbs } = setUp();
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    await settle();
    const [first] = stored();
    cluster.remove(Events, `ns/${first?.metadata.name}`);
    await wait(HOUR_MS);
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    await settle();
    expect(verbs()).toEqual(['create', 'patch', 'create']);
    expect(stored().map((each) => [each.metadata.name, each.count, each.firstTimestamp, each.lastTimestamp])).toEqual([
      [first?.metadata.name, 2, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ]);
  });

  it('P-RT-25 the tenth different message in ten minutes -> combined, further ones counted into it', async () => {
    const { recorder, settle, stored } = setUp();
    for (let index = 1; index <= 12; index++) recorder.event(claim, 'Warning', 'Failed', `try ${index}`);
    recorder.event(claim, 'Warning', 'Failed', 'try 1');
    await settle();
    expect(stored().length).toBe(10);
    const combined = stored()[9];
    expect([combined?.message, combined?.count]).toEqual(['(combined from similar events): try 12', 3]);
    expect([combined?.reportingComponent, combined?.source.component]).toEqual(['', 'persistentvolume-controller']);
    expect(stored()[0]?.count).toBe(2);
  });

  it('P-RT-25 similar messages more than ten minutes apart -> not combined', async () => {
    const { recorder, wait, stored } = setUp();
    for (let index = 1; index <= 12; index++) {
      recorder.event(claim, 'Warning', 'Failed', `try ${index}`);
      await wait(10 * MINUTE_MS + (index === 6 ? 1 : -MINUTE_MS));
    }
    expect(stored().some((each) => each.message?.startsWith('(combined') ?? false)).toBe(false);
  });

  it('P-RT-26 more than 25 about one object -> silence, one more every five minutes, others unaffected', async () => {
    const { recorder, wait, settle, verbs, stored } = setUp();
    for (let index = 0; index < 40; index++) recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    await settle();
    expect(verbs().length).toBe(25);
    recorder.event(claim, 'Warning', 'Failed', 'another type has its own allowance');
    recorder.event(volume, 'Normal', 'Waiting', 'another object too');
    await settle();
    expect(verbs().length).toBe(27);
    await wait(5 * MINUTE_MS);
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    await settle();
    expect(verbs().length).toBe(28);
    // What was not sent was counted all the same.
    expect(stored()[0]?.count).toBe(41);
  });

  it('P-RT-27 the server cannot be reached -> 12 tries over less than two minutes, order kept, then given up', async () => {
    const { recorder, wait, cluster, clock, lines, stored } = setUp();
    const triedAt: number[] = [];
    cluster.onRequest = () => {
      triedAt.push(clock.monotonic());
      throw serviceUnavailable('connection refused');
    };
    recorder.event(claim, 'Normal', 'First', 'one');
    recorder.event(claim, 'Normal', 'Second', 'two');
    await wait(105 * SECOND_MS);
    expect(triedAt.length).toBeGreaterThanOrEqual(11);
    const gaps = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));
    expect(gaps[0]).toBeLessThanOrEqual(10 * SECOND_MS);
    expect(new Set(gaps.slice(1, 10))).toEqual(new Set([10 * SECOND_MS]));
    await wait(10 * SECOND_MS);
    expect(lines.filter((line) => line.level === 'error').length).toBe(1);
    cluster.onRequest = () => undefined;
    await wait(10 * SECOND_MS);
    expect(stored().map((each) => each.reason)).toEqual(['Second']);
  });

  it.each([
    ['forbidden in a terminating namespace', terminating, 'debug'],
    ['refused otherwise', internal('no'), 'warn'],
  ])('P-RT-27 %s -> dropped, the next is sent', async (_name, error, level) => {
    const { recorder, settle, cluster, lines, verbs } = setUp();
    cluster.onRequest = () => {
      cluster.onRequest = () => undefined;
      throw error;
    };
    recorder.event(claim, 'Normal', 'First', 'one');
    recorder.event(claim, 'Normal', 'Second', 'two');
    await settle();
    expect(verbs()).toEqual(['create', 'create']);
    expect(lines.map((line) => line.level)).toEqual([level]);
  });

  it('P-RT-28 too many wait -> the newest are dropped and said to be', async () => {
    const { recorder, wait, cluster, lines } = setUp();
    cluster.onRequest = () => {
      throw serviceUnavailable('connection refused');
    };
    for (let index = 0; index < QUEUED_EVENTS_MAX + 3; index++) recorder.event(claim, 'Normal', 'R', String(index));
    await wait(0);
    expect(lines.filter((line) => line.message.startsWith('too many events wait')).length).toBe(3);
  });

  it('P-RT-22 through the view of a turn -> written in the name of its reason, counted with the others', async () => {
    const { recorder, settle, cluster, verbs } = setUp();
    recorder.event(claim, 'Normal', 'Waiting', 'for a pod');
    recorder.via(cluster.because({ type: 'resync', entry: 5 })).event(claim, 'Normal', 'Waiting', 'for a pod');
    await settle();
    expect(verbs()).toEqual(['create', 'patch']);
    expect(cluster.calls.map((call) => call.reason)).toEqual([undefined, { type: 'resync', entry: 5 }]);
  });

  it('P-RT-7 its signal fires -> nothing is sent any more', async () => {
    const { recorder, wait, cluster, stop, clock, verbs } = setUp();
    cluster.onRequest = () => {
      throw serviceUnavailable('connection refused');
    };
    recorder.event(claim, 'Normal', 'First', 'one');
    await wait(0);
    stop.abort();
    recorder.event(claim, 'Normal', 'Second', 'two');
    await wait(HOUR_MS);
    expect(verbs()).toEqual(['create']);
    expect(clock.pendingTimers).toBe(0);
  });
});
