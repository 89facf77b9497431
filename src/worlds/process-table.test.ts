import { describe, expect, test } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../base/clock.ts';
import { STARTS_AT, testContext } from '../../test/runtime/test-context.ts';
import { ProcessTable } from './process-table.ts';

/** A table with one supervised component, whose starts are told in seconds. */
function supervisedTable() {
  const { clock, log, lines } = testContext();
  const starts: number[] = [];
  const lives: AbortSignal[] = [];
  const table = new ProcessTable((_placed, signal) => {
    starts.push((clock.now() - STARTS_AT) / SECOND_MS);
    lives.push(signal);
  });
  table.add({ component: { name: 'it', start: () => undefined }, program: 'kube-scheduler' });
  const crashed = table.supervised({ clock, log });
  const crash = (): void => crashed('it', lives.at(-1) ?? expect.fail('it runs'), new Error('gone'));
  const pass = async (ms: number): Promise<void> => clock.advanceTo(clock.now() + ms);
  table.launchAll();
  return { table, starts, lives, crash, crashed, pass, lines };
}

describe('the processes of a world', () => {
  test('P-WORLD-6 a component that crashes again and again -> started anew, after longer and longer waits', async () => {
    const { crash, lives, lines, pass, starts } = supervisedTable();
    for (let crashes = 0; crashes < 3; crashes++) {
      crash();
      expect(lives.at(-1)?.aborted).toBe(true);
      await pass(MINUTE_MS);
    }
    expect(starts).toEqual([0, 10, 80, 160]);
    expect(lines[0]?.message).toBe('it crashed and is started again in 10 s: gone');
  });

  test('P-WORLD-6 a component that ran well for long before it crashed -> is not made to wait longer', async () => {
    const { crash, pass, starts } = supervisedTable();
    crash();
    await pass(20 * MINUTE_MS);
    crash();
    await pass(MINUTE_MS);
    expect(starts).toEqual([0, 10, 1210]);
  });

  test('P-WORLD-6 two parts that tell of one crash, one of them late -> one restart', async () => {
    const { crashed, lives, pass, starts } = supervisedTable();
    const [life = expect.fail('it runs')] = lives;
    crashed('it', life, new Error('gone'));
    crashed('it', life, new Error('gone'));
    await pass(MINUTE_MS);
    crashed('it', life, new Error('gone'));
    await pass(MINUTE_MS);
    expect(starts).toEqual([0, 10]);
  });

  test('a fault that kills what has crashed -> it stays down until the fault ends', async () => {
    const { crash, pass, starts, table } = supervisedTable();
    crash();
    table.kill('it');
    await pass(MINUTE_MS);
    expect(starts).toEqual([0]);
    table.revive('it');
    expect(starts).toEqual([0, 60]);
  });

  test('the end of the world -> nothing comes back', async () => {
    const { crash, pass, starts, table } = supervisedTable();
    crash();
    table.killAll();
    await pass(10 * MINUTE_MS);
    expect(starts).toEqual([0]);
  });
});
