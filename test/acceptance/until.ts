const EVERY_MS = 100;
const WAIT_MS = 60_000;

/** Asks again until it holds, at most a minute. What cannot be asked yet does not hold. */
export async function until(what: string, holds: () => Promise<boolean> | boolean, waitMs = WAIT_MS): Promise<void> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const does = await (async () => holds())().catch(() => false);
    if (does) return;
    if (performance.now() > deadline) throw new Error(`waited ${waitMs / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
