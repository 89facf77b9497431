// Failures as the API server answers them: an HTTP code, a machine reason and a sentence, carried as a Status object.
// Callers match by reason or code, never by the sentence.
// Codes, reasons and sentences: kubernetes:staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go
import type { FieldError } from './field-error.ts';
import { goQuote } from './go-text.ts';
import { type ResourceName, qualifiedKind, qualifiedResource } from './object.ts';

export type ApiReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'ServerTimeout'
  | 'Timeout'
  /** A failure the server never classified: code 500, and no reason on the wire. */
  | 'Unknown';

export interface ApiError extends Error {
  readonly code: number;
  readonly reason: ApiReason;
  readonly details?: ApiErrorDetails;
}
export interface ApiErrorDetails {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly causes?: readonly ApiErrorCause[];
  readonly retryAfterSeconds?: number;
}
export interface ApiErrorCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}
/** `metav1.Status` of a failure. Success has its own, smaller shape and never becomes an error. */
export interface FailureStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: ApiErrorDetails;
  readonly code: number;
}

interface StatusErrorParts {
  readonly code: number;
  readonly reason: ApiReason;
  readonly message: string;
  readonly details?: ApiErrorDetails;
  /** A fresh, inconsistent token that comes with an expired list. */
  readonly continue?: string;
}

export class StatusError extends Error implements ApiError {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: ApiReason;
  readonly details?: ApiErrorDetails;
  readonly continue?: string;

  constructor(parts: StatusErrorParts) {
    super(parts.message);
    this.code = parts.code;
    this.reason = parts.reason;
    if (parts.details !== undefined) this.details = parts.details;
    if (parts.continue !== undefined) this.continue = parts.continue;
  }
}

export function isApiError(error: unknown, reason?: ApiReason): error is ApiError {
  return error instanceof StatusError && (reason === undefined || error.reason === reason);
}

/** The first cause with this reason: `FieldManagerConflict`, `NamespaceTerminating`, `DisruptionBudget`. */
export function causeOf(error: unknown, reason: string): ApiErrorCause | undefined {
  if (!isApiError(error)) return undefined;
  return error.details?.causes?.find((cause) => cause.reason === reason);
}

/** Any failure as the Status that is sent for it; what is no ApiError is an unclassified 500. */
export function toStatus(error: unknown): FailureStatus {
  const failure =
    error instanceof StatusError ? error : unclassified(error instanceof Error ? error.message : String(error));
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: failure.continue === undefined ? {} : { continue: failure.continue },
    status: 'Failure',
    ...(failure.message === '' ? {} : { message: failure.message }),
    ...(failure.reason === 'Unknown' ? {} : { reason: failure.reason }),
    ...(failure.details === undefined ? {} : { details: failure.details }),
    code: failure.code,
  };
}

const CODE_OF_REASON: Readonly<Record<ApiReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
  Unknown: 500,
};

const isReason = (text: string | undefined): text is ApiReason =>
  text !== undefined && Object.hasOwn(CODE_OF_REASON, text);

/** Reasons that stand for a code when a server names none, or one we do not know (`Gone`). */
function reasonOfCode(code: number): ApiReason {
  switch (code) {
    case 409:
      return 'Conflict';
    case 500:
      return 'Unknown';
    default:
      return (
        Object.keys(CODE_OF_REASON)
          .filter(isReason)
          .find((reason) => CODE_OF_REASON[reason] === code) ?? 'Unknown'
      );
  }
}

/** The error a received Status stands for. */
export function fromStatus(status: Partial<Omit<FailureStatus, 'kind' | 'apiVersion' | 'status'>>): StatusError {
  const code = status.code ?? (isReason(status.reason) ? CODE_OF_REASON[status.reason] : 500);
  return new StatusError({
    code,
    reason: isReason(status.reason) ? status.reason : reasonOfCode(code),
    message: status.message ?? '',
    ...(status.details === undefined ? {} : { details: status.details }),
    ...(status.metadata?.continue === undefined ? {} : { continue: status.metadata.continue }),
  });
}

/** Empty parts are left out, as on the wire. */
function detailsOf(group: string, kind: string, name: string): ApiErrorDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
  };
}

const resourceDetails = (resource: ResourceName, name: string): ApiErrorDetails =>
  detailsOf(resource.group, qualifiedResource({ ...resource, group: '' }), name);

const plain = (code: number, reason: ApiReason, message: string, details?: ApiErrorDetails): StatusError =>
  new StatusError({ code, reason, message, ...(details === undefined ? {} : { details }) });

export const notFound = (resource: ResourceName, name: string): StatusError =>
  plain(404, 'NotFound', `${qualifiedResource(resource)} ${goQuote(name)} not found`, resourceDetails(resource, name));

/** The path names a resource that the group version does not have. */
export const noSuchResource = (): StatusError =>
  plain(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (resource: ResourceName, name: string): StatusError =>
  plain(
    409,
    'AlreadyExists',
    `${qualifiedResource(resource)} ${goQuote(name)} already exists`,
    resourceDetails(resource, name),
  );

/** Every try at a generated name was taken. */
export const generateNameConflict = (resource: ResourceName, name: string): StatusError =>
  plain(
    409,
    'AlreadyExists',
    `${qualifiedResource(resource)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
    { ...resourceDetails(resource, name), retryAfterSeconds: 1 },
  );

/** kubernetes:staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go */
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export const conflict = (resource: ResourceName, name: string, message = MODIFIED): StatusError =>
  plain(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedResource(resource)} ${goQuote(name)}: ${message}`,
    resourceDetails(resource, name),
  );

export const applyConflict = (message: string, causes: readonly ApiErrorCause[]): StatusError =>
  plain(409, 'Conflict', message, causes.length === 0 ? {} : { causes });

/**
 * `kind` may be empty (a patch whose result does not decode) or the plural (an update without resourceVersion).
 * Identical faults are told once in the sentence and each time in the causes.
 */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const sentences = [...new Set(errors.map((error) => `${error.field}: ${error.text}`))];
  const [first] = sentences;
  const told = sentences.length > 1 ? `: [${sentences.join(', ')}]` : first === undefined ? '' : `: ${first}`;
  const causes = errors.map((error) => ({ reason: error.type, message: error.text, field: error.field }));
  return plain(422, 'Invalid', `${qualifiedKind(kind)} ${goQuote(name)} is invalid${told}`, {
    ...detailsOf(kind.group, kind.kind, name),
    ...(causes.length === 0 ? {} : { causes }),
  });
}

/** A request that is well-formed but cannot be carried out: a JSON patch that does not fit the object. */
export const unprocessable = (): StatusError =>
  plain(422, 'Invalid', 'the server rejected our request due to an error in our request', {});

export const badRequest = (message: string): StatusError => plain(400, 'BadRequest', message);

/** Without a resource the message is about a path: `forbidden: User "jane" cannot get path "/metrics"`. */
export function forbidden(resource: ResourceName | undefined, name: string, message: string): StatusError {
  if (resource === undefined) return plain(403, 'Forbidden', `forbidden: ${message}`, {});
  const subject = name === '' ? qualifiedResource(resource) : `${qualifiedResource(resource)} ${goQuote(name)}`;
  return plain(403, 'Forbidden', `${subject} is forbidden: ${message}`, resourceDetails(resource, name));
}

export const unauthorized = (message = 'Unauthorized'): StatusError => plain(401, 'Unauthorized', message);

export const expired = (message: string, continueToken?: string): StatusError =>
  new StatusError({
    code: 410,
    reason: 'Expired',
    message,
    ...(continueToken === undefined ? {} : { continue: continueToken }),
  });

export const timeout = (message: string, retryAfterSeconds = 0): StatusError =>
  plain(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds === 0 ? {} : { retryAfterSeconds });

/** A list or read asks for a revision that lies in the future. kubernetes:staging/src/k8s.io/apiserver/pkg/storage/errors.go */
export const tooLargeResourceVersion = (asked: number | string, current: number | string): StatusError =>
  plain(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

export const tooManyRequests = (message: string, details: ApiErrorDetails = {}): StatusError =>
  plain(429, 'TooManyRequests', message, details);

export const internal = (message: string): StatusError =>
  plain(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** A failure without classification: code 500, no reason. */
export const unclassified = (message: string): StatusError => plain(500, 'Unknown', message);

export const methodNotAllowed = (): StatusError =>
  plain(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  plain(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  plain(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);

export const entityTooLarge = (message: string): StatusError =>
  plain(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);

export const serverTimeout = (resource: ResourceName, operation: string, retryAfterSeconds = 0): StatusError =>
  plain(
    500,
    'ServerTimeout',
    `The ${operation} operation against ${qualifiedResource(resource)} could not be completed at this time, please try again.`,
    { ...resourceDetails(resource, operation), ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }) },
  );

export const serviceUnavailable = (message: string): StatusError => plain(503, 'ServiceUnavailable', message);
