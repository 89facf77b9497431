import type { Log } from '../base/log.ts';

/** One JSON object a line; details of single connections are left out. */
export const standardError: Log = {
  write: (level, message, fields = {}) => {
    if (level === 'debug') return;
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, message, ...fields })}\n`);
  },
};
