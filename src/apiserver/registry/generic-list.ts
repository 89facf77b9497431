// Lists: the newest state or an old one, whole or in pages, in key order. No object is copied.
// kubernetes:staging/src/k8s.io/apiserver/pkg/storage/interfaces.go, etcd3/store.go
import { StatusError, badRequest, expired, invalid, tooLargeResourceVersion } from '../../kube/api-error.ts';
import type { ListOptions, ObjectList, WatchOptions } from '../../kube/cluster.ts';
import { type FieldError, forbidden, notSupported } from '../../kube/field-error.ts';
import type { KubeObject } from '../../kube/object.ts';
import { type KindState, type ObjectStore, keyRange } from '../objectstore/object-store.ts';
import type { KeyRange } from '../objectstore/ordered-map.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from './generic-continue.ts';
import { Selection } from './generic-selection.ts';
import type { Strategy } from './strategy.ts';

export function listObjects(store: ObjectStore, strategy: Strategy, options: ListOptions): ObjectList<KubeObject> {
  refuse(listFaults(options));
  const selection = new Selection(strategy, options);
  const token = tokenOf(options);
  const revision = revisionFor(store, options, token);
  const prefix = keyRange(selection.namespace).from;
  const objects = store.at(strategy.resource, revision);
  if (objects === undefined) throw tooOld(token);
  const range = token === undefined ? selection.range : { ...selection.range, from: prefix + token.start };
  return page(objects, { selection, range, prefix, revision, limit: limitOf(options) });
}

/** Who takes any version gets all of it at once, as from upstream's cache. */
function limitOf({ limit = 0, resourceVersion, continue: next = '' }: ListOptions): number {
  return resourceVersion === '0' && next === '' ? 0 : limit;
}

interface Page {
  readonly selection: Selection;
  readonly range: KeyRange;
  readonly prefix: string;
  readonly revision: number;
  readonly limit: number;
}

/** A page is full when it has `limit` objects; it has a successor when any key is left, selected or not. */
function page(objects: KindState, of: Page): ObjectList<KubeObject> {
  const { selection, range, limit, revision } = of;
  const items: KubeObject[] = [];
  let left = 0;
  objects.visit(range, (object) => {
    if (limit > 0 && items.length >= limit) {
      left++;
      return selection.isEmpty;
    }
    if (selection.matches(object)) items.push(object);
    return true;
  });
  const last = items.at(-1);
  const list = { items, resourceVersion: String(revision) };
  if (left === 0 || last === undefined) return list;
  const { namespace, name } = last.metadata;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  const next = encodeContinue({ revision, start: `${key.slice(of.prefix.length)}\0` });
  return { ...list, continue: next, ...(selection.isEmpty ? { remainingItemCount: left } : {}) };
}

function tokenOf(options: ListOptions): ContinueToken | undefined {
  if (options.continue === undefined || options.continue === '') return undefined;
  const token = decodeContinue(options.continue);
  const version = options.resourceVersion ?? '';
  if (version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  return token;
}

/** A version with a limit and no match means exactly that version: the form of clients older than the match. */
function revisionFor(store: ObjectStore, options: ListOptions, token: ContinueToken | undefined): number {
  if (token !== undefined) return token.revision < 0 ? store.revision : reached(token.revision, store);
  const asked = parseRevision(options.resourceVersion ?? '');
  const { resourceVersionMatch: match, limit = 0 } = options;
  const isExact = match === 'Exact' || (match === undefined && limit > 0);
  if (isExact && asked > 0) return reached(asked, store);
  if (asked > store.revision) throw tooLargeResourceVersion(asked, store.revision);
  return store.revision;
}

/** An exact revision is not waited for: unlike a lower bound it is refused without advice to try again. */
function reached(asked: number, { revision }: ObjectStore): number {
  if (asked <= revision) return asked;
  const { code, reason, message, details = {} } = tooLargeResourceVersion(asked, revision);
  const { retryAfterSeconds: _advice, ...rest } = details;
  throw new StatusError({ code, reason, message, details: rest });
}

function parseRevision(text: string): number {
  if (text === '') return 0;
  if (!/^[0-9]+$/.test(text)) throw badRequest(`invalid resource version: ${notARevision(text)}`);
  return Number(text);
}

/** What a resourceVersion that is no number is refused with. */
export const notARevision = (text: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;

/** kubernetes:staging/src/k8s.io/apiserver/pkg/storage/etcd3/errors.go */
function tooOld(token: ContinueToken | undefined): Error {
  if (token === undefined) return expired('The resourceVersion for the provided list is too old.');
  const message =
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
  return expired(message, encodeContinue({ revision: -1, start: token.start }));
}

/** kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/internalversion/validation/validation.go */
function listFaults(options: WatchOptions): readonly FieldError[] {
  const { resourceVersion = '', resourceVersionMatch: match } = options;
  const faults: FieldError[] = [];
  if (match !== undefined) {
    if (resourceVersion === '')
      faults.push(matchForbidden('resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if ((options.continue ?? '') !== '')
      faults.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      faults.push(notSupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && resourceVersion === '0') {
      faults.push(matchForbidden('resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined)
    faults.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return faults;
}

export function watchFaults(options: WatchOptions): readonly FieldError[] {
  const { resourceVersionMatch: match, sendInitialEvents } = options;
  const faults: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    faults.push(matchForbidden('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === undefined) return faults;
  if (sendInitialEvents === undefined) {
    faults.push(matchForbidden('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'));
  }
  if (match !== 'NotOlderThan') faults.push(notSupported('resourceVersionMatch', match, ['NotOlderThan']));
  if ((options.continue ?? '') !== '')
    faults.push(matchForbidden('resourceVersionMatch is forbidden when continue is provided'));
  return faults;
}

const matchForbidden = (detail: string): FieldError => forbidden('resourceVersionMatch', detail);

export function refuse(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', faults);
}
