import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/** A log that has grown to this size becomes `FILE.old`, in place of the one before it. */
const LOG_BYTES_MAX = 10_000_000;

export interface LogFile extends Log {
  close(): void;
}

/** Adds to the file, one JSON object a line; details are left out. Readable by its owner alone. */
export function openLogFile(file: string, clock: Clock): LogFile {
  const open = (): number => openSync(file, 'a', 0o600);
  let handle = open();
  let bytes = fstatSync(handle).size;
  return {
    write: (level, message, fields = {}) => {
      if (level === 'debug') return;
      if (bytes >= LOG_BYTES_MAX) {
        closeSync(handle);
        renameSync(file, `${file}.old`);
        handle = open();
        bytes = 0;
      }
      const at = new Date(clock.now()).toISOString();
      bytes += writeSync(handle, `${JSON.stringify({ at, level, message, ...fields }, withoutErrors(level))}\n`);
    },
    close: () => closeSync(handle),
  };
}

/** The message says what went wrong; where it should not have happened at all, the stack tells where. */
const withoutErrors = (level: string) => (_: string, value: unknown) => {
  if (!(value instanceof Error)) return value;
  return level === 'error' ? value.stack : undefined;
};
