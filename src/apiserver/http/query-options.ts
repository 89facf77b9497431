// Options that come in the query, as upstream reads them: the first value of a name counts, a flag is on unless it says no,
// and a number that is none is a bad request.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/runtime/conversion.go and
// kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go
import { type StatusError, badRequest, invalid } from '../../kube/api-error.ts';
import type { ListOptions, WatchOptions, WriteOptions } from '../../kube/cluster.ts';
import {
  type FieldError,
  forbidden,
  invalid as invalidField,
  notSupported,
  required,
  tooLong,
} from '../../kube/field-error.ts';

const FIELD_MANAGER_LENGTH_MAX = 128;
const INT64_MAX = 9_223_372_036_854_775_807n;

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export function text<K extends string>(query: URLSearchParams, name: K): { readonly [N in K]?: string } {
  const value = query.get(name);
  return value === null || value === '' ? {} : ({ [name]: value } as { readonly [N in K]: string });
}

export function flag(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

export function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[+-]?[0-9]+$/.test(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  const number = BigInt(value.replace('+', ''));
  if (number > INT64_MAX || number < -INT64_MAX - 1n)
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: value out of range`);
  return Number(number);
}

export function listOptionsOf(query: URLSearchParams, namespace: string | undefined): ListOptions {
  if (query.size === 0) return namespace === undefined ? {} : { namespace };
  const limit = wholeNumber(query, 'limit');
  // A list does not wait, but what is no number is refused all the same.
  wholeNumber(query, 'timeoutSeconds');
  const { resourceVersionMatch } = text(query, 'resourceVersionMatch');
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...text(query, 'labelSelector'),
    ...text(query, 'fieldSelector'),
    ...text(query, 'continue'),
    ...text(query, 'resourceVersion'),
    // Whether the word is known is told with the other faults of the options.
    ...(resourceVersionMatch === undefined ? {} : { resourceVersionMatch: resourceVersionMatch as 'Exact' }),
    ...(limit === undefined ? {} : { limit }),
    ...initialEventsFlag(query),
  };
}

/** A list must refuse it, so it is read for lists too. */
function initialEventsFlag(query: URLSearchParams): Pick<WatchOptions, 'sendInitialEvents'> {
  const value = flag(query, 'sendInitialEvents');
  return value === undefined ? {} : { sendInitialEvents: value };
}

export function watchOptionsOf(query: URLSearchParams, namespace: string | undefined): WatchOptions {
  const timeoutSeconds = wholeNumber(query, 'timeoutSeconds');
  const given = {
    ...listOptionsOf(query, namespace),
    allowWatchBookmarks: flag(query, 'allowWatchBookmarks') === true,
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
  return isOldInitialWatch(given) ? { ...given, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : given;
}

/** The old way to ask for what is there before what changes. kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/defaults.go */
const isOldInitialWatch = ({ resourceVersion = '0', resourceVersionMatch, sendInitialEvents }: WatchOptions): boolean =>
  resourceVersion === '0' && resourceVersionMatch === undefined && sendInitialEvents === undefined;

/** The flag has been gone for long, but who still sends it is told. */
export function refuseExport(query: URLSearchParams): void {
  if (flag(query, 'export') === true)
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** Throws Invalid for options that contradict the request. */
export function writeOptionsOf(query: URLSearchParams, kind: OptionsKind, userAgent: string): WriteOptions {
  const faults = writeFaults(query);
  if (faults.length > 0) throw invalidOptions(kind, faults);
  const { fieldValidation } = text(query, 'fieldValidation');
  return {
    fieldManager: query.get('fieldManager') || managerFrom(userAgent),
    dryRun: query.getAll('dryRun').length > 0,
    ...(fieldValidation === undefined ? {} : { fieldValidation: fieldValidation as 'Strict' }),
  };
}

export function patchOptionsOf(
  query: URLSearchParams,
  userAgent: string,
  { isApply }: { readonly isApply: boolean },
): WriteOptions {
  const faults = [...applyFaults(query, isApply), ...writeFaults(query)];
  if (faults.length > 0) throw invalidOptions('PatchOptions', faults);
  return writeOptionsOf(query, 'PatchOptions', userAgent);
}

export const invalidOptions = (kind: OptionsKind, faults: readonly FieldError[]): StatusError =>
  invalid({ group: 'meta.k8s.io', kind }, '', faults);

function applyFaults(query: URLSearchParams, isApply: boolean): readonly FieldError[] {
  if (isApply) {
    const isNamed = (query.get('fieldManager') ?? '') !== '';
    return isNamed ? [] : [required('fieldManager', 'is required for apply patch')];
  }
  return query.has('force') ? [forbidden('force', 'may not be specified for non-apply patch')] : [];
}

function writeFaults(query: URLSearchParams): readonly FieldError[] {
  const validation = query.get('fieldValidation') ?? '';
  return [
    ...fieldManagerFaults(query.get('fieldManager') ?? ''),
    ...dryRunFaults(query.getAll('dryRun')),
    ...(['', 'Ignore', 'Strict', 'Warn'].includes(validation)
      ? []
      : [notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn'])]),
  ];
}

export const dryRunFaults = (dryRun: readonly string[]): readonly FieldError[] =>
  dryRun.every((each) => each === 'All') ? [] : [notSupported('dryRun', dryRun, ['All'])];

function fieldManagerFaults(manager: string): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (Buffer.byteLength(manager) > FIELD_MANAGER_LENGTH_MAX)
    faults.push(tooLong('fieldManager', FIELD_MANAGER_LENGTH_MAX));
  let position = 0;
  for (const character of manager) {
    if (!/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
      faults.push(invalidField('fieldManager', manager, `invalid character U+${code} (at position ${position})`));
    }
    position += Buffer.byteLength(character);
  }
  return faults;
}

/** Who writes without saying its name is called by its program's. kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go */
function managerFrom(userAgent: string): string {
  const program = userAgent.split('/')[0] ?? '';
  return program.slice(0, FIELD_MANAGER_LENGTH_MAX);
}

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** How much of the object each row of a table carries. */
export function includeObjectOf(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const { field, text: says } = invalidField('includeObject', value, "must be 'Metadata', 'Object', 'None', or empty");
  throw badRequest(`Unable to convert to Table as requested: ${field}: ${says}`);
}
