// Ages as people read them: the longer ago, the rounder. kubernetes:staging/src/k8s.io/apimachinery/pkg/util/duration/duration.go
import { type DurationMs, type InstantMs, SECOND_MS } from '../../base/clock.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** `12s`, `2m3s`, `5h`, `3d4h`, `2y35d`. A little in the future is now, more is no age at all. */
export function humanDuration(duration: DurationMs): string {
  const seconds = Math.trunc(duration / SECOND_MS);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 2 * MINUTE) return `${seconds}s`;
  if (seconds < 10 * MINUTE) return both(seconds, [MINUTE, 'm'], [1, 's']);
  if (seconds < 3 * HOUR) return `${Math.trunc(seconds / MINUTE)}m`;
  if (seconds < 8 * HOUR) return both(seconds, [HOUR, 'h'], [MINUTE, 'm']);
  if (seconds < 2 * DAY) return `${Math.trunc(seconds / HOUR)}h`;
  if (seconds < 8 * DAY) return both(seconds, [DAY, 'd'], [HOUR, 'h']);
  if (seconds < 2 * YEAR) return `${Math.trunc(seconds / DAY)}d`;
  if (seconds < 8 * YEAR) return both(seconds, [YEAR, 'y'], [DAY, 'd']);
  return `${Math.trunc(seconds / YEAR)}y`;
}

type Unit = readonly [seconds: number, letter: string];

/** The smaller unit is left out when it is zero. */
function both(seconds: number, [large, largeLetter]: Unit, [small, smallLetter]: Unit): string {
  const rest = Math.trunc((seconds % large) / small);
  return `${Math.trunc(seconds / large)}${largeLetter}${rest === 0 ? '' : `${rest}${smallLetter}`}`;
}

/** How long ago a timestamp is; a missing one is `<unknown>`. */
export function ageOf(timestamp: string | null | undefined, now: InstantMs): string {
  if (timestamp === undefined || timestamp === null || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}
