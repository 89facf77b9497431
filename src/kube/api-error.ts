export type ApiReason =
  | 'BadRequest' | 'Unauthorized' | 'Forbidden' | 'NotFound' | 'MethodNotAllowed' | 'NotAcceptable'
  | 'AlreadyExists' | 'Conflict' | 'Expired' | 'RequestEntityTooLarge' | 'UnsupportedMediaType' | 'Invalid'
  | 'TooManyRequests' | 'InternalError' | 'ServiceUnavailable' | 'ServerTimeout' | 'Timeout';
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
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
  readonly retryAfterSeconds?: number;
}
