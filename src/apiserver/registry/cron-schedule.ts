// What may be a schedule of a cron job, with the sentences that refuse the others. robfig/cron:parser.go
import { goQuote } from '../../kube/go-text.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'] as const;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'] as const;

class ScheduleFault extends Error {}

/** Undefined for a good schedule. */
export function faultOfSchedule(schedule: string): string | undefined {
  try {
    requireSchedule(schedule.replace(/^(?:CRON_)?TZ=\S*\s*/, ''));
    return undefined;
  } catch (error) {
    if (error instanceof ScheduleFault) return error.message;
    throw error;
  }
}

function requireSchedule(schedule: string): void {
  if (schedule.startsWith('@')) {
    requireDescriptor(schedule);
    return;
  }
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length)
    throw new ScheduleFault(`expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`);
  FIELDS.forEach((bounds, index) => {
    for (const range of (fields[index] ?? '').split(',').filter((each) => each !== '')) requireRange(range, bounds);
  });
}

function requireDescriptor(descriptor: string): void {
  if (DESCRIPTORS.some((each) => each === descriptor)) return;
  const [, every] = /^@every (.*)$/.exec(descriptor) ?? [];
  if (every === undefined) throw new ScheduleFault(`unrecognized descriptor: ${descriptor}`);
  if (!/^[-+]?(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+$|^0$/.test(every))
    throw new ScheduleFault(`failed to parse duration ${descriptor}: time: invalid duration ${goQuote(every)}`);
}

function requireRange(range: string, { min, max, names = [] }: Bounds): void {
  const [span = '', step, ...more] = range.split('/');
  const [low = '', high, ...rest] = span.split('-');
  const isAny = low === '*' || low === '?';
  const start = isAny ? min : numberIn(low, names, min);
  if (!isAny && rest.length > 0) throw new ScheduleFault(`too many hyphens: ${range}`);
  const last = isAny ? max : high === undefined ? start : numberIn(high, names, min);
  if (more.length > 0) throw new ScheduleFault(`too many slashes: ${range}`);
  const stride = step === undefined ? 1 : numberIn(step, [], min);
  const end = step !== undefined && high === undefined ? max : last;
  if (start < min) throw new ScheduleFault(`beginning of range (${start}) below minimum (${min}): ${range}`);
  if (end > max) throw new ScheduleFault(`end of range (${end}) above maximum (${max}): ${range}`);
  if (start > end) throw new ScheduleFault(`beginning of range (${start}) beyond end of range (${end}): ${range}`);
  if (stride === 0) throw new ScheduleFault(`step of range should be a positive number: ${range}`);
}

/** Names count from the least number of their field. */
function numberIn(text: string, names: readonly string[], min: number): number {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + min;
  if (!/^[-+]?\d+$/.test(text))
    throw new ScheduleFault(`failed to parse int from ${text}: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
  const number = Number(text);
  if (number < 0) throw new ScheduleFault(`negative number (${number}) not allowed: ${text}`);
  return number;
}
