import type { DurationMs } from '../../base/clock.ts';
import type { ComponentContext } from '../../runtime/component.ts';

/** Does the work again and again, each time this long after the last one ended. Not the work that keeps a world busy. */
export function repeatInBackground(
  { clock, signal }: Pick<ComponentContext, 'clock' | 'signal'>,
  intervalMs: DurationMs,
  work: () => Promise<void> | void,
): Promise<never> {
  return new Promise((_never, reject) => {
    const again = (): void => {
      const timer = clock.after(
        intervalMs,
        () => {
          signal.removeEventListener('abort', stop);
          if (!signal.aborted) Promise.resolve(work()).then(again, reject);
        },
        { background: true },
      );
      const stop = (): void => timer.cancel();
      signal.addEventListener('abort', stop, { once: true });
    };
    again();
  });
}
