import { Aborted } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/**
 * Takes responsibility for a promise that nobody awaits. The end of a wait by its signal is how components stop and says
 * nothing; every other failure is logged as an error with the error itself in `error`. There the world finds bugs of ours:
 * a simulated run ends with an AssertionFailure, a live process counts it and goes on.
 */
export function supervise(name: string, promise: Promise<unknown>, log: Log): void {
  void promise.catch((error: unknown) => {
    if (error instanceof Aborted) return;
    log.write('error', `${name} failed: ${messageOf(error)}`, { error });
  });
}

/** Reports a failure that was caught where it could not be passed on. */
export function reportFailure(name: string, error: unknown, log: Log): void {
  supervise(name, Promise.reject(error instanceof Error ? error : new Error(String(error))), log);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
