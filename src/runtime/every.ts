import { Aborted, type Clock, type DurationMs } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { reportFailure, supervise } from './supervise.ts';

export interface Heartbeat {
  readonly name: string;
  /** From the end of one pass to the start of the next, and from now to the first. */
  readonly periodMs: DurationMs;
  pass(): Promise<void> | void;
}

/**
 * Something done again and again that is no reason by itself for a world to stay awake: its timers are background ones.
 * A pass that fails is reported, and the next one comes all the same. Ends by the signal.
 */
export function every(
  context: { readonly clock: Clock; readonly signal: AbortSignal; readonly log: Log },
  heartbeat: Heartbeat,
): void {
  supervise(heartbeat.name, beat(context, heartbeat), context.log);
}

async function beat({ clock, signal, log }: Parameters<typeof every>[0], heartbeat: Heartbeat): Promise<never> {
  for (;;) {
    await clock.sleep(heartbeat.periodMs, signal, { background: true });
    try {
      await heartbeat.pass();
    } catch (error) {
      if (error instanceof Aborted) throw error;
      reportFailure(heartbeat.name, error, log);
    }
  }
}
