// Refusals and faults as answers: a Status in a form that the client can read.
import type { Log } from '../../base/log.ts';
import { internal, isApiError, toStatus } from '../../kube/api-error.ts';
import { inForm } from './answer-body.ts';
import { type HeaderValues, type HttpRequest, type WholeAnswer, wholeAnswer } from './http-exchange.ts';
import { type Negotiation, type OutputForm, PLAIN_JSON, negotiate, wantsPretty } from './media-type.ts';
import { warningHeaders } from './warning-headers.ts';

export const NOT_CACHED: HeaderValues = { 'cache-control': 'no-cache, private' };

/** The form of an answer to this request. Throws NotAcceptable. */
export function formFor(request: HttpRequest, how: Omit<Negotiation, 'accept' | 'isPretty'>): OutputForm {
  const isPretty = wantsPretty(request.query, request.header('user-agent'));
  return negotiate({ accept: request.header('accept'), isPretty, ...how });
}

export const withWarnings = (headers: HeaderValues, warnings: readonly string[]): HeaderValues =>
  warnings.length === 0 ? headers : { ...headers, warning: warningHeaders(warnings) };

export function failureAnswer(
  request: HttpRequest,
  error: unknown,
  { log, warnings = [] }: { readonly log: Log; readonly warnings?: readonly string[] },
): WholeAnswer {
  const status = toStatus(known(error, request, log));
  const retry = status.details?.retryAfterSeconds;
  const headers = retry === undefined ? NOT_CACHED : { ...NOT_CACHED, 'retry-after': String(retry) };
  const form = failureForm(request);
  const body = inForm(form, Buffer.from(`${JSON.stringify(status)}\n`));
  return wholeAnswer(status.code, form.mediaType, body, withWarnings(headers, warnings));
}

/** Plain JSON where the client can read nothing of ours. */
function failureForm(request: HttpRequest): OutputForm {
  try {
    return formFor(request, { isStream: false, mayConvert: false });
  } catch {
    return PLAIN_JSON;
  }
}

/** A bug is told to the log alone: its text may hold anything. */
function known(error: unknown, { method, path }: HttpRequest, log: Log): Error {
  if (isApiError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  log.write('error', 'request failed', { method, path, why });
  return internal('the request could not be served');
}
