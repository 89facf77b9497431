import { Aborted } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/**
 * Takes responsibility for a promise that nobody awaits. The end of a wait by its signal is how components stop and says
 * nothing; every other failure is logged as an error with the error itself in `error`, and with `ended`, because nothing goes on
 * where it was. There the world finds what must be started anew, and bugs of ours: a simulated run ends with an
 * AssertionFailure.
 */
export function supervise(name: string, promise: Promise<unknown>, log: Log): void {
  void promise.catch((error: unknown) =>
    report(name, error, (message) => log.write('error', message, { error, ended: true })),
  );
}

/** Reports a failure that was caught where it could not be passed on; what it was part of goes on. */
export function reportFailure(name: string, error: unknown, log: Log): void {
  void Promise.resolve().then(() => report(name, error, (message) => log.write('error', message, { error })));
}

function report(name: string, error: unknown, write: (message: string) => void): void {
  if (!(error instanceof Aborted)) write(`${name} failed: ${messageOf(error)}`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
