/** Ctrl-C under npm comes twice, from the terminal and from npm, which hands it on. What comes so soon is the same wish. */
const SAME_WISH_MS = 1000;
/** As a shell says it of a program that a signal ended. */
const CODES: Readonly<Partial<Record<NodeJS.Signals, number>>> = { SIGINT: 130, SIGTERM: 143 };

/** Until the user (Ctrl-C) or the system asks the process to end. Asked again after that, it ends at once. */
export function signalled(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const ask = (signal: NodeJS.Signals): void => {
      askedAt ??= performance.now();
      if (performance.now() - askedAt < SAME_WISH_MS) resolve();
      else process.exit(CODES[signal]);
    };
    process.on('SIGINT', ask);
    process.on('SIGTERM', ask);
  });
}
