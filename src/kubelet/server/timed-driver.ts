// A driver whose calls from this node are timed.
import type { Clock } from '../../base/clock.ts';
import { isCsiError } from '../../csi/csi-error.ts';
import type { CsiDriver } from '../../csi/driver.ts';
import { wrapDriver } from '../../csi/wrap-driver.ts';
import type { KubeletMetrics } from './kubelet-metrics.ts';

export function timedDriver(driver: CsiDriver, clock: Clock, metrics: KubeletMetrics): CsiDriver {
  return wrapDriver(driver, async ({ service, rpc }, proceed) => {
    const startedAt = clock.monotonic();
    const tell = (code: string): void => {
      const called = { driver: driver.name, method: `/csi.v1.${service}/${rpc}`, code };
      metrics.called(called, clock.monotonic() - startedAt);
    };
    try {
      const answer = await proceed();
      tell('OK');
      return answer;
    } catch (error) {
      tell(isCsiError(error) ? codeName(error.code) : 'Unknown');
      throw error;
    }
  });
}

/** `DEADLINE_EXCEEDED` as gRPC libraries of Go print it: `DeadlineExceeded`. */
const codeName = (code: string): string =>
  code
    .split('_')
    .map((word) => `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`)
    .join('');
