// Keeps the record of managed fields of one kind, as one of its paths sees it, and carries out server-side apply on it.
// It decides from objects alone: what is stored, and when, is the registry's business.
// apimachinery:pkg/util/managedfields/internal/{fieldmanager,skipnonapplied,structuredmerge}.go
import { badRequest, unclassified } from '../../kube/api-error.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import type { KubeObject, ManagedFields } from '../../kube/object.ts';
import { type Applied, applyConfiguration, conflictError } from './apply.ts';
import type { MapApply } from './apply-type.ts';
import { type Comparison, compareObjects, isNoChange } from './comparison.ts';
import { type FieldSet, hasPath, isSameSet } from './field-set.ts';
import { KUBECTL, ownedByLastApplied, withLastApplied } from './last-applied.ts';
import {
  type ComparisonIn,
  type Entries,
  type Manager,
  decodeEntries,
  fieldsOf,
  isReset,
  sortedEntries,
  updateEntries,
  withFields,
  withoutNobodys,
} from './managed-fields.ts';
import { type SplitKind, settableFields } from './reset-fields.ts';
import { fittingFields } from './typed-field-set.ts';
import { printFaults, typedFaults } from './typed-faults.ts';

/** Owner of all fields that were there before anyone was tracked. apimachinery:…/internal/skipnonapplied.go */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Managers have names of their own choice: there may be any number of them. */
const LAST_SETS_MAX = 256;

/** One version in which a kind is served. */
export interface KindVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly type: MapApply;
  /** An object of which nothing is set. */
  readonly zero: JsonObject;
  /** A stored object in this version. */
  readonly show: (stored: KubeObject) => JsonObject;
}

export interface FieldManagerOptions {
  readonly kind: SplitKind;
  /** The version that clients of this path speak. */
  readonly own: KindVersion;
  readonly others: readonly KindVersion[];
}

/** The request on whose behalf fields change hands. */
export interface FieldWrite {
  readonly manager: string;
  readonly subresource: string | undefined;
  /** RFC 3339 in whole seconds. */
  readonly now: string;
}

export interface AppliedObject {
  /** In the version of this path, not yet in its shape and without defaults. */
  readonly object: JsonObject;
  readonly entries: Entries;
}

export class FieldManager {
  readonly #options: FieldManagerOptions;
  /** The last set of each manager: objects of a kind are made alike, and most of them can hold the same one. */
  readonly #lastSets = new Map<string, FieldSet>();

  constructor(options: FieldManagerOptions) {
    this.#options = options;
  }

  /** The record after a create, an update or a patch that is no apply; undefined if the object is not tracked. */
  updated(before: KubeObject | undefined, wanted: KubeObject, write: FieldWrite): Entries | undefined {
    const live = before?.metadata.managedFields ?? [];
    const entries = this.#entriesFor(live, wanted.metadata.managedFields, write);
    if (entries.length === 0 && before !== undefined) return undefined;
    const { own } = this.#options;
    const comparisonIn = this.#comparisons(
      write.subresource,
      ({ zero, show }) => (before === undefined ? zero : show(before)),
      ({ show }) => show(wanted),
    );
    const comparison = comparisonIn(own.apiVersion);
    if (comparison === undefined || isNoChange(comparison)) return entries === live ? live : sortedEntries(entries);
    const { now } = write;
    const by = this.#by('Update', write);
    return updateEntries(entries, comparisonIn, { by, now, comparison, shared: this.#shared });
  }

  /** Throws what the request is answered with if the configuration is not sound or conflicts. */
  applied(before: KubeObject | undefined, sent: unknown, force: boolean, write: FieldWrite): AppliedObject {
    const config = this.#checked(sent);
    const { own } = this.#options;
    const live = before === undefined ? own.zero : own.show(before);
    const entries = this.#entriesBeforeApply(before, live, write);
    const apply = (forced: boolean): Applied =>
      applyConfiguration({
        type: own.type,
        live,
        config,
        entries,
        by: this.#by('Apply', write),
        force: forced,
        now: write.now,
        settable: settableFields(this.#options.kind, write.subresource),
        compare: (from, to) => this.#comparisonsOf(from, to, write.subresource),
      });
    const result = this.#withoutOldConflicts(apply, force, { live, manager: write.manager });
    const object = result.object ?? live;
    return {
      object: write.manager === KUBECTL ? withLastApplied(object, config) : object,
      entries: sortedEntries(result.entries),
    };
  }

  #by(operation: Manager['operation'], { manager, subresource }: FieldWrite): Manager {
    return { manager, operation, apiVersion: this.#options.own.apiVersion, subresource };
  }

  /** The record from which a write starts: the stored one, or the one that the client sent in its place. */
  #entriesFor(live: Entries, sent: readonly ManagedFields[] | undefined, { subresource }: FieldWrite): Entries {
    if (subresource !== undefined || !Array.isArray(sent) || sent === live) return live;
    if (isReset(sent)) return [];
    const decoded = decodeEntries(sent) ?? [];
    // Who does not know of managed fields must not wipe them out.
    return decoded.length === 0 ? live : this.#fitted(decoded);
  }

  /** What clients wrote, or was written when the kind was declared otherwise, may name parts of what is one value now. */
  #fitted(entries: Entries): Entries {
    return entries.map((entry) => withFields(entry, fittingFields(fieldsOf(entry), this.#options.own.type)));
  }

  #entriesBeforeApply(before: KubeObject | undefined, live: JsonObject, write: FieldWrite): Entries {
    const entries = this.#fitted(before?.metadata.managedFields ?? []);
    if (entries.length > 0 || before === undefined) return entries;
    const { own } = this.#options;
    const comparisonIn = this.#comparisonsOf(own.zero, live, write.subresource);
    const comparison = comparisonIn(own.apiVersion);
    if (comparison === undefined) return entries;
    const by = this.#by('Update', { ...write, manager: BEFORE_FIRST_APPLY });
    return updateEntries(entries, comparisonIn, { by, now: write.now, comparison, shared: this.#shared });
  }

  readonly #shared = ({ manager, subresource = '' }: Manager, fields: FieldSet): FieldSet => {
    const name = `${subresource} ${manager}`;
    const last = this.#lastSets.get(name);
    if (last !== undefined && isSameSet(last, fields)) return last;
    if (this.#lastSets.size >= LAST_SETS_MAX) this.#lastSets.clear();
    this.#lastSets.set(name, fields);
    return fields;
  };

  #comparisonsOf(before: JsonObject, after: JsonObject, subresource: string | undefined): ComparisonIn {
    const { own } = this.#options;
    return this.#comparisons(
      subresource,
      (version) => (version === own ? before : undefined),
      (version) => (version === own ? after : undefined),
    );
  }

  /** Each version is compared when it is first asked for. */
  #comparisons(
    subresource: string | undefined,
    before: (version: KindVersion) => JsonObject | undefined,
    after: (version: KindVersion) => JsonObject | undefined,
  ): ComparisonIn {
    const { own, others, kind } = this.#options;
    const known = new Map<string, Comparison>();
    const settable = settableFields(kind, subresource);
    return (apiVersion) => {
      const version = apiVersion === own.apiVersion ? own : others.find((each) => each.apiVersion === apiVersion);
      if (version === undefined) return undefined;
      const found = known.get(apiVersion);
      if (found !== undefined) return found;
      const [from, to] = [before(version), after(version)];
      if (from === undefined || to === undefined) return NO_CHANGE;
      const comparison = narrowed(compareObjects(version.type, from, to), settable);
      known.set(apiVersion, comparison);
      return comparison;
    };
  }

  /** What kubectl applied before there was server-side apply is its own. */
  #withoutOldConflicts(
    apply: (force: boolean) => Applied,
    force: boolean,
    { live, manager }: { readonly live: JsonObject; readonly manager: string },
  ): Extract<Applied, { type: 'applied' }> {
    const first = apply(force);
    if (first.type === 'applied') return first;
    const { own } = this.#options;
    const allowed = manager === KUBECTL ? ownedByLastApplied(own.type, live, own.apiVersion) : undefined;
    const left = first.conflicts.filter(({ path }) => allowed === undefined || !hasPath(allowed, path));
    const second = left.length > 0 ? first : apply(true);
    if (second.type === 'applied') return second;
    throw conflictError(left);
  }

  #checked(sent: unknown): JsonObject {
    if (!isJsonObject(sent)) throw badRequest('error decoding YAML: an object was expected');
    const { own } = this.#options;
    const named = `${groupVersion(sent['apiVersion'])}, Kind=${textOf(sent['kind'])}`;
    if (sent['apiVersion'] !== own.apiVersion || sent['kind'] !== own.kind) {
      throw badRequest(`invalid object type: ${named}`);
    }
    const metadata = isJsonObject(sent['metadata']) ? sent['metadata'] : {};
    if (Array.isArray(metadata['managedFields'])) throw badRequest('metadata.managedFields must be nil');
    const faults = typedFaults(own.type, sent);
    if (faults.length === 0) return sent;
    const place = `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}; ${named}`;
    throw unclassified(`failed to create typed patch object (${place}): ${printFaults(faults)}`);
  }
}

const NO_CHANGE: Comparison = { added: {}, modified: {}, removed: {} };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `apps/v1`, and `/v1` where there is no group. */
function groupVersion(apiVersion: unknown): string {
  const text = textOf(apiVersion);
  return text.includes('/') ? text : `/${text}`;
}

function narrowed({ added, modified, removed }: Comparison, settable: (fields: FieldSet) => FieldSet): Comparison {
  return {
    added: withoutNobodys(settable(added)),
    modified: withoutNobodys(settable(modified)),
    removed: withoutNobodys(settable(removed)),
  };
}
