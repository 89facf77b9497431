import type { CsiCode, CsiError } from './driver.ts';

/** In the order of their numbers. The names Go prints: `rpc error: code = ResourceExhausted desc = …`. grpc-go:codes/code_string.go */
const GO_NAMES: Readonly<Record<CsiCode, string>> = {
  OK: 'OK',
  CANCELLED: 'Canceled',
  UNKNOWN: 'Unknown',
  INVALID_ARGUMENT: 'InvalidArgument',
  DEADLINE_EXCEEDED: 'DeadlineExceeded',
  NOT_FOUND: 'NotFound',
  ALREADY_EXISTS: 'AlreadyExists',
  PERMISSION_DENIED: 'PermissionDenied',
  RESOURCE_EXHAUSTED: 'ResourceExhausted',
  FAILED_PRECONDITION: 'FailedPrecondition',
  ABORTED: 'Aborted',
  OUT_OF_RANGE: 'OutOfRange',
  UNIMPLEMENTED: 'Unimplemented',
  INTERNAL: 'Internal',
  UNAVAILABLE: 'Unavailable',
  DATA_LOSS: 'DataLoss',
  UNAUTHENTICATED: 'Unauthenticated',
};

/**
 * What a CSI call fails with. `message` is the whole text that sidecars put into events and status, as Go prints a
 * status; `description` is the driver's own sentence, which is what travels over the wire.
 */
export class CsiStatusError extends Error implements CsiError {
  override readonly name = 'CsiStatusError';
  readonly code: CsiCode;
  readonly description: string;

  constructor(code: CsiCode, description: string) {
    super(`rpc error: code = ${GO_NAMES[code]} desc = ${description}`);
    this.code = code;
    this.description = description;
  }
}

/** By their numbers, OK first. grpc-go:codes/codes.go */
export const CSI_CODES = Object.keys(GO_NAMES).filter((name): name is CsiCode => name in GO_NAMES);

export const goCodeName = (code: CsiCode): string => GO_NAMES[code];

/** For `attempt(call, isCsiError)`: a status is an expected failure, everything else a bug or an abort. */
export const isCsiError = (error: unknown): error is CsiStatusError => error instanceof CsiStatusError;
