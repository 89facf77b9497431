import type { Clock, DurationMs } from '../base/clock.ts';
import type { CsiDriver } from '../csi/driver.ts';
import { enforceDeadlines } from '../csi/enforce-deadlines.ts';
import { type Around, wrapDriver } from '../csi/wrap-driver.ts';

export interface DriverLayers {
  readonly clock: Clock;
  /** How long each call takes, by RPC name; `default` for the others. */
  readonly latencyMs: Readonly<Record<string, DurationMs>>;
  /** Faults. */
  readonly aroundDriver: Around | undefined;
}

/** What stands between the callers of a driver and the driver: their deadlines, then faults, then the time that calls take. */
export function layered(driver: CsiDriver, { clock, latencyMs, aroundDriver }: DriverLayers): CsiDriver {
  const slow = wrapDriver(driver, async ({ rpc, options }, proceed) => {
    const delay = latencyMs[rpc] ?? latencyMs['default'] ?? 0;
    if (delay > 0) await clock.sleep(delay, options.signal);
    return proceed();
  });
  return enforceDeadlines(aroundDriver === undefined ? slow : wrapDriver(slow, aroundDriver), clock);
}
