// A virtual instant costs one barrier (setImmediate) and the heap. The barrier is the ceiling: no clock that lets promises
// settle between two instants can be cheaper.
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { reportRatio } from '../../scripts/bench/ratios.ts';

const INSTANTS = 50_000;
const ROUNDS = 7;

async function bareBarriers(): Promise<number> {
  const startedAt = performance.now();
  for (let count = 0; count < INSTANTS; count += 1) await new Promise((resolve) => setImmediate(resolve));
  return performance.now() - startedAt;
}

async function instants(): Promise<number> {
  const clock = new SteppedClock(0);
  let fired = 0;
  for (let at = 1; at <= INSTANTS; at += 1) {
    clock.after(at, () => {
      fired += 1;
    });
  }
  const startedAt = performance.now();
  await clock.advanceTo(INSTANTS);
  const took = performance.now() - startedAt;
  if (fired !== INSTANTS) throw new Error(`${fired} of ${INSTANTS} timers fired`);
  return took;
}

// Taken in turn, so that both see the same machine; the best round of each counts.
let barrierMs = Number.POSITIVE_INFINITY;
let instantMs = Number.POSITIVE_INFINITY;
for (let round = 0; round < ROUNDS; round += 1) {
  barrierMs = Math.min(barrierMs, await bareBarriers());
  instantMs = Math.min(instantMs, await instants());
}
const micros = (ms: number): string => `${((ms * 1000) / INSTANTS).toFixed(2)} us`;
reportRatio({
  name: 'virtual-instant',
  ratio: instantMs / barrierMs,
  measured: `${micros(instantMs)} an instant`,
  against: `${micros(barrierMs)} a bare barrier`,
});
