// Tells the audit of a request that is being answered: at once for a whole answer, twice for a stream.
import type { Clock } from '../../base/clock.ts';
import type { FailureStatus } from '../../kube/api-error.ts';
import type { Authorizer } from '../authorization.ts';
import type { AuditOutcome, AuditedRequest, RequestAudit } from './audit-event.ts';
import type { HttpAnswer, StreamAnswer, WholeAnswer } from './http-exchange.ts';

export interface AuditServices {
  readonly audit: RequestAudit;
  readonly clock: Clock;
  readonly authorizer: Authorizer;
}

/** The same answer, told of. */
export function auditedAnswer(answer: HttpAnswer, asked: AuditedRequest, services: AuditServices): HttpAnswer {
  const { audit, clock } = services;
  const id = audit.newId();
  const known = withDecision(asked, services);
  const record = (stage: AuditOutcome['stage'], outcome: Pick<AuditOutcome, 'code' | 'failure'>): void =>
    audit.record(id, known, { stage, at: clock.now(), ...outcome });
  switch (answer.type) {
    case 'whole':
      // Who is not known is told as having been answered by the door, as upstream tells it.
      record(asked.user === undefined ? 'ResponseStarted' : 'ResponseComplete', outcomeOf(answer));
      return answer;
    case 'stream':
      record('ResponseStarted', { code: answer.code });
      return endingWith(answer, () => record('ResponseComplete', { code: answer.code }));
    case 'tunnel':
      record('ResponseStarted', { code: 101 });
      return answer;
  }
}

function withDecision(asked: AuditedRequest, { authorizer }: AuditServices): AuditedRequest {
  const { access, user, impersonated } = asked;
  if (access === undefined || user === undefined) return asked;
  return { ...asked, decision: authorizer.decide(impersonated ?? user, access) };
}

function outcomeOf({ code, body }: WholeAnswer): Pick<AuditOutcome, 'code' | 'failure'> {
  const failure = code < 400 ? undefined : failureIn(body);
  return { code, ...(failure === undefined ? {} : { failure }) };
}

/** A refusal is a Status, wherever it was made; of one in another form only the code is told. */
function failureIn(body: Uint8Array): FailureStatus | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const isStatus = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'Status';
    return isStatus ? (value as FailureStatus) : undefined;
  } catch {
    return undefined;
  }
}

function endingWith(answer: StreamAnswer, ended: () => void): StreamAnswer {
  return {
    ...answer,
    open: (out) => {
      const open = answer.open(out);
      return {
        drained: () => open.drained(),
        dispose: () => {
          open.dispose();
          ended();
        },
      };
    },
  };
}
