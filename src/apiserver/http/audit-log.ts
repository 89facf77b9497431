import { appendFileSync, chmodSync, closeSync, openSync } from 'node:fs';
import type { Clock, DurationMs } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import { type AuditOutcome, type AuditedRequest, type RequestAudit, auditEvent } from './audit-event.ts';

/** How long lines may wait to be written together. */
const WAIT_MS: DurationMs = 100;
const WAITING_MAX = 1000;

/** Appends to a file that its owner alone may read. Lines of a moment are written together. */
export function openAuditLog(
  file: string,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): RequestAudit {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  const ids = random.fork('audit');
  let lines: string[] = [];
  const flush = (): void => {
    if (lines.length > 0) appendFileSync(file, lines.join(''));
    lines = [];
  };
  return {
    newId: () => ids.uid(),
    flush,
    record: (id: string, asked: AuditedRequest, outcome: AuditOutcome): void => {
      if (lines.length === 0) clock.after(WAIT_MS, flush, { background: true });
      lines.push(`${JSON.stringify(auditEvent(id, asked, outcome))}\n`);
      if (lines.length >= WAITING_MAX) flush();
    },
  };
}
