// Durations as Go writes them: `15s`, `2m2s`, `1h0m0s`, `1.5s`. Milliseconds on our side; fractions down to a nanosecond.

const NANOS_OF_UNIT: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};
const NANOS_IN_MS = 1e6;
const PART = /(\d+(?:\.\d*)?|\.\d+)([a-zµμ]+)/gy;

/** Milliseconds, or undefined if the text is no duration. */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const parts = /^[+-]/.test(text) ? text.slice(1) : text;
  if (parts === '0') return 0;
  let nanos = 0;
  let end = 0;
  for (const [whole, figure, unit = ''] of parts.matchAll(PART)) {
    const unitNanos = Object.hasOwn(NANOS_OF_UNIT, unit) ? NANOS_OF_UNIT[unit] : undefined;
    if (unitNanos === undefined) return undefined;
    nanos += Number(figure) * unitNanos;
    end += whole.length;
  }
  if (end === 0 || end !== parts.length) return undefined;
  return (sign * Math.round(nanos)) / NANOS_IN_MS;
}

const trimmed = (value: number, places: number): string => {
  const fixed = value.toFixed(places);
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
};

/** The form Go prints: the largest unit is the hour, and below a second one unit with a fraction is used. */
export function formatDuration(durationMs: number): string {
  const sign = durationMs < 0 ? '-' : '';
  const nanos = Math.round(Math.abs(durationMs) * NANOS_IN_MS);
  if (nanos === 0) return '0s';
  if (nanos < 1e3) return `${sign}${nanos}ns`;
  if (nanos < 1e6) return `${sign}${trimmed(nanos / 1e3, 3)}µs`;
  if (nanos < 1e9) return `${sign}${trimmed(nanos / 1e6, 6)}ms`;
  const hours = Math.floor(nanos / 3600e9);
  const minutes = Math.floor((nanos % 3600e9) / 60e9);
  const seconds = trimmed((nanos % 60e9) / 1e9, 9);
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}s` : `${sign}${seconds}s`;
}
