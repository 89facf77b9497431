export interface Log {
  write(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Throws every line away. */
export const silentLog: Log = { write: () => undefined };
