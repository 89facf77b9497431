// Times as they are stored: UTC, to the second, or to the microsecond where the kind says so (leases, events).
// kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/time.go, micro_time.go

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';
/** A stored time of a day that every month has. It is good as it stands, and nearly all are of this form. */
const STORED_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{6})?Z$/;
const SECONDS_LENGTH = '2006-01-02T15:04:05Z'.length;
const MICROS_LENGTH = '2006-01-02T15:04:05.000000Z'.length;
const PARTS = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)([.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))$/;

export class TimeError extends Error {
  override readonly name = 'TimeError';

  constructor(text: string, layout: string) {
    super(`parsing time "${text}" as "${layout}": cannot parse "${text}" as "2006"`);
  }
}

/** `2021-01-01T02:00:00.5+02:00` is stored as `2021-01-01T00:00:00Z`: fractions are cut off. */
export function canonicalTime(text: string): string {
  if (text.length === SECONDS_LENGTH && STORED_TIME.test(text)) return text;
  return `${new Date(secondsOf(text, RFC3339)).toISOString().slice(0, 19)}Z`;
}

/** Six digits of fraction are demanded, no more and no less. */
export function canonicalMicroTime(text: string): string {
  if (text.length === MICROS_LENGTH && STORED_TIME.test(text)) return text;
  const fraction = /\.\d{6}(?=Z|[+-])/.exec(text)?.[0];
  if (fraction === undefined) throw new TimeError(text, RFC3339_MICRO);
  return `${new Date(secondsOf(text, RFC3339_MICRO)).toISOString().slice(0, 19)}${fraction}Z`;
}

/** The instant without its fraction, or a TimeError. */
function secondsOf(text: string, layout: string): number {
  const [, date, hours, minutes, seconds, , sign, offsetHours = '0', offsetMinutes = '0'] = PARTS.exec(text) ?? [];
  if (date === undefined || Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) {
    throw new TimeError(text, layout);
  }
  if (Number(offsetHours) > 24 || Number(offsetMinutes) > 59) throw new TimeError(text, layout);
  const instantMs = Date.parse(`${date}T${hours}:${minutes}:${seconds}Z`);
  // Days that the month does not have roll over instead of failing.
  if (Number.isNaN(instantMs) || !new Date(instantMs).toISOString().startsWith(date)) throw new TimeError(text, layout);
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return instantMs - (sign === '-' ? -offsetMs : offsetMs);
}
