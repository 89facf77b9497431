import { expect, test } from 'vitest';
import { SteppedClock } from '../base/virtual-clock.ts';
import { CsiStatusError } from './csi-error.ts';
import { CALL, bench, codeOf, createRequest, errorOf } from './drivers/memory/test-requests.ts';
import { enforceDeadlines } from './enforce-deadlines.ts';
import type { Rpc } from './driver.ts';
import { type Around, type DriverCall, wrapDriver } from './wrap-driver.ts';

test('P-CSI-10 every RPC -> passes through around under its upstream name', async () => {
  const seen = new Set<string>();
  const wrapped = wrapDriver(bench().driver, (call) => {
    seen.add(call.rpc);
    return Promise.reject(new CsiStatusError('UNAVAILABLE', 'not now'));
  });
  const services = [wrapped.identity, wrapped.controller, wrapped.nodeService('n1')];
  const rpcs = services.flatMap((service) => Object.entries<Rpc<never, unknown>>({ ...service }));
  for (const [, rpc] of rpcs) await codeOf(rpc({} as never, CALL));
  const names = rpcs.map(([name]) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  expect(names).toHaveLength(26);
  expect([...seen]).toEqual(names);
});

test('P-CSI-10 a wrapped call -> seen by name, node and request, answered by the driver', async () => {
  const seen: Pick<DriverCall, 'service' | 'rpc' | 'nodeName'>[] = [];
  const around: Around = (call, proceed) => {
    seen.push({
      service: call.service,
      rpc: call.rpc,
      ...(call.nodeName === undefined ? {} : { nodeName: call.nodeName }),
    });
    return proceed();
  };
  const wrapped = wrapDriver(bench().driver, around);
  await wrapped.controller.createVolume(createRequest(), CALL);
  expect((await wrapped.nodeService('n1').nodeGetInfo({}, CALL)).nodeId).toBe('n1');
  expect((await wrapped.identity.probe({}, CALL)).ready).toBe(true);
  expect(seen).toEqual([
    { service: 'Controller', rpc: 'CreateVolume' },
    { service: 'Node', rpc: 'NodeGetInfo', nodeName: 'n1' },
    { service: 'Identity', rpc: 'Probe' },
  ]);
});

test('P-CSI-10 around fails the call or drops the answer -> the caller sees it, the work may have been done', async () => {
  const { driver } = bench();
  const lost = wrapDriver(driver, async (_call, proceed) => {
    await proceed();
    throw new CsiStatusError('UNAVAILABLE', 'connection lost');
  });
  expect(await codeOf(lost.controller.createVolume(createRequest(), CALL))).toBe('UNAVAILABLE');
  expect([...driver.backend.volumes()]).toHaveLength(1);
});

test('P-CSI-11 no answer by the deadline -> DEADLINE_EXCEEDED, and the late work stays done', async () => {
  const { driver } = bench();
  const clock = new SteppedClock(0);
  const slow = wrapDriver(driver, async (_call, proceed) => {
    await clock.sleep(15_000);
    return proceed();
  });
  const answer = errorOf(enforceDeadlines(slow, clock).controller.createVolume(createRequest(), CALL));
  await clock.advanceTo(10_000);
  expect(await answer).toBe('rpc error: code = DeadlineExceeded desc = context deadline exceeded');
  expect([...driver.backend.volumes()]).toHaveLength(0);
  await clock.advanceTo(15_000);
  expect([...driver.backend.volumes()]).toHaveLength(1);
});

test('P-CSI-11 the caller stops -> CANCELLED; an answer in time leaves no timer', async () => {
  const { driver } = bench();
  const clock = new SteppedClock(0);
  const hung = wrapDriver(driver, () => new Promise<never>(() => undefined));
  const stop = new AbortController();
  const call = { signal: stop.signal, deadlineMs: 10_000 };
  const answer = codeOf(enforceDeadlines(hung, clock).controller.createVolume(createRequest(), call));
  stop.abort();
  expect(await answer).toBe('CANCELLED');
  expect(await codeOf(enforceDeadlines(driver, clock).controller.createVolume(createRequest(), call))).toBe(
    'CANCELLED',
  );
  expect(await codeOf(enforceDeadlines(driver, clock).controller.createVolume(createRequest(), CALL))).toBe('OK');
  expect(await clock.advanceUntilQuiet(60_000)).toBe('quiet');
  expect(clock.now()).toBe(0);
});
