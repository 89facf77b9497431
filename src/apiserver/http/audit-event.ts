// One answered request in the words of audit.k8s.io/v1, at the level Metadata: who, what, when and with what outcome, and
// nothing of any body, so no secret can get into it. kubernetes:staging/src/k8s.io/apiserver/pkg/apis/audit/v1/types.go
import type { InstantMs } from '../../base/clock.ts';
import type { FailureStatus } from '../../kube/api-error.ts';
import type { AccessDecision, AnyAccess, User } from '../authorization.ts';
import type { HttpRequest } from './http-exchange.ts';

/** What is known of a request when it is answered. Parts are missing where it did not come so far. */
export interface AuditedRequest {
  readonly request: HttpRequest;
  readonly receivedAt: InstantMs;
  readonly access?: AnyAccess;
  readonly version?: string;
  readonly user?: User;
  readonly impersonated?: User;
  readonly decision?: AccessDecision;
}

export interface AuditOutcome {
  readonly stage: 'ResponseStarted' | 'ResponseComplete';
  readonly at: InstantMs;
  readonly code: number;
  readonly failure?: FailureStatus;
}

/** Told of every stage of every request. */
export interface RequestAudit {
  record(id: string, asked: AuditedRequest, outcome: AuditOutcome): void;
  newId(): string;
  /** Writes what still waits. */
  flush(): void;
}

export function auditEvent(id: string, asked: AuditedRequest, outcome: AuditOutcome): object {
  const { request, access, user, impersonated, decision } = asked;
  const source = request.remoteAddress ?? '';
  const agent = request.header('user-agent');
  const verb = access?.verb ?? request.method.toLowerCase();
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: id,
    stage: outcome.stage,
    requestURI: uriOf(request),
    verb,
    user: user === undefined ? {} : userInfo(user),
    ...(impersonated === undefined ? {} : { impersonatedUser: userInfo(impersonated) }),
    ...(source === '' ? {} : { sourceIPs: [source] }),
    ...(agent === '' ? {} : { userAgent: agent }),
    ...objectReference(asked),
    responseStatus: statusOf(outcome),
    requestReceivedTimestamp: microTime(asked.receivedAt),
    stageTimestamp: microTime(outcome.at),
    ...(decision === undefined ? {} : { annotations: annotationsOf(decision) }),
  };
}

const uriOf = ({ path, query }: HttpRequest): string => (query.size === 0 ? path : `${path}?${query.toString()}`);

const userInfo = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

function objectReference({ access, version }: AuditedRequest): object {
  if (access === undefined || 'path' in access) return {};
  const { resource, namespace, name, subresource } = access;
  return {
    objectRef: {
      resource: resource.plural,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === '' ? {} : { name }),
      ...(resource.group === '' ? {} : { apiGroup: resource.group }),
      ...(version === undefined ? {} : { apiVersion: version }),
      ...(subresource === undefined ? {} : { subresource }),
    },
  };
}

function statusOf({ code, failure }: AuditOutcome): object {
  if (failure === undefined) return { metadata: {}, code };
  const { kind: _kind, apiVersion: _apiVersion, ...status } = failure;
  return status;
}

const annotationsOf = ({ allowed, because = '' }: AccessDecision): object => ({
  'authorization.k8s.io/decision': allowed ? 'allow' : 'forbid',
  'authorization.k8s.io/reason': because,
});

/** Six digits after the second; a clock of ours tells three. */
const microTime = (at: InstantMs): string => new Date(at).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
