// One simulated day of 1000 nodes that renew a lease every ten seconds: nothing but the clock. What a real run costs on top
// of this is its own work.
import { reportFigure } from '../../scripts/long/report.ts';
import { HOUR_MS, SECOND_MS } from '../../src/base/clock.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';

const NODES = 1000;
const RENEW_MS = 10 * SECOND_MS;
const DURATION_MS = 24 * HOUR_MS;

const clock = new SteppedClock(0);
for (let node = 0; node < NODES; node += 1) {
  const renew = (): void => {
    clock.after(RENEW_MS, renew, { background: true });
  };
  clock.after(node, renew, { background: true });
}
const startedAt = performance.now();
await clock.advanceTo(DURATION_MS);
const seconds = (performance.now() - startedAt) / 1000;
reportFigure({ name: 'simulated', value: `${DURATION_MS / HOUR_MS} h of ${NODES} heartbeats` });
reportFigure({ name: 'timers fired', value: String(clock.fired) });
reportFigure({ name: 'real time', value: `${seconds.toFixed(1)} s` });
