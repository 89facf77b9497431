// What runs only while this process leads. Whoever loses the Lease ends what it ran and stands for election again, as an
// upstream program does by ending and being started anew: nothing is remembered from one term to the next.
import { type LeaderElectorOptions, LeaderElector } from './lease.ts';

export interface ElectedOptions extends LeaderElectorOptions {
  /** Starts what is guarded. Its signal fires when the term is over; then nothing more may be written. */
  readonly lead: (signal: AbortSignal) => void;
  readonly onNewLeader?: (identity: string) => void;
}

/** Returns when the signal has fired, the term is over, and the Lease is released if that was asked for. */
export async function leadWhileElected(options: ElectedOptions, signal: AbortSignal): Promise<void> {
  const { lead, onNewLeader = () => undefined } = options;
  while (!signal.aborted) {
    const elector = new LeaderElector(options);
    await elector.run(signal, { onStarted: lead, onStopped: () => undefined, onNewLeader });
  }
}
