import { homedir } from 'node:os';
import path from 'node:path';

/** Where a cluster is kept unless told otherwise: where programs keep what outlives them, by the XDG base directories. */
export function stateDirectory(): string {
  const given = process.env['XDG_STATE_HOME'] ?? '';
  return path.join(path.isAbsolute(given) ? given : path.join(homedir(), '.local', 'state'), 'mooring');
}
