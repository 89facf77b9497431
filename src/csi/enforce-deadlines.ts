// What a gRPC client does with `deadlineMs` and `signal`, for drivers that are called in process: the caller is answered
// at the deadline although the driver may still be working, and what it finishes later is not undone.
import type { Clock } from '../base/clock.ts';
import { CsiStatusError } from './csi-error.ts';
import type { CsiDriver } from './driver.ts';
import { type DriverCall, type Proceed, wrapDriver } from './wrap-driver.ts';

export function enforceDeadlines(driver: CsiDriver, clock: Clock): CsiDriver {
  return wrapDriver(driver, (call, proceed) => answerInTime(call, proceed, clock));
}

function answerInTime<R>({ options }: DriverCall, proceed: Proceed<R>, clock: Clock): Promise<R> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => finish(() => reject(new CsiStatusError('CANCELLED', 'context canceled')));
    const timer = clock.after(options.deadlineMs, () =>
      finish(() => reject(new CsiStatusError('DEADLINE_EXCEEDED', 'context deadline exceeded'))),
    );
    const finish = (answer: () => void): void => {
      timer.cancel();
      options.signal.removeEventListener('abort', onAbort);
      answer();
    };
    if (options.signal.aborted) return onAbort();
    options.signal.addEventListener('abort', onAbort, { once: true });
    proceed().then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
    return undefined;
  });
}
