// What the API server must know of one kind beyond its schema. The generic registry does everything that all kinds share
// (names, uid, resourceVersion, generation, finalizers, deletion, no-op detection); a strategy holds the rest, as pure
// functions from object to object. A strategy never reads the clock, the store or another object.
import type { InstantMs } from '../../base/clock.ts';
import type { StatusError } from '../../kube/api-error.ts';
import type { FieldError } from '../../kube/field-error.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { User } from '../authorization.ts';
import type { ScaleSubresource } from '../../kube/resources/custom-resource-definition.ts';

/** What a strategy may use besides the objects. */
export interface StrategyContext {
  /** Server time, for fields such as `lastPhaseTransitionTime`. */
  readonly now: InstantMs;
  /** Who asks, for kinds that write it down. */
  readonly user?: User;
  /** Nothing will be stored: numbers are not taken from their ranges. */
  readonly dryRun?: boolean;
}

/** A write to a path below an object that takes and answers the object itself. */
export interface SubresourceRules<T extends KubeObject = KubeObject> {
  /** The status comes as it was sent; without this it is the stored one. */
  readonly writesStatus?: boolean;
  /** Drops what this path may not change. */
  prepareForUpdate(object: T, before: T, context: StrategyContext): T;
  /** All faults of such a write; `validate` and `validateUpdate` are not asked then. */
  validateUpdate(object: T, before: T): readonly FieldError[];
}

/** A method's type: like the strategy's own methods it may be asked only with objects of its kind, so a table of strategies may forget the kinds. */
type FieldValue<T> = { of(object: T): string }['of'];

/**
 * One look at the metadata of an update, by the rules of a new object or those of a change. Built-in kinds also ask finalizers for
 * a domain; a few look without that.
 */
export type MetadataCheck = 'object' | 'update' | 'object-unqualified' | 'update-unqualified';

export interface Strategy<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  /** `metadata.generation` is kept: 1 at creation, +1 on every spec change and when deletion is asked for. */
  readonly hasGeneration: boolean;
  /** A change of annotations counts as one of the spec. Deployments only. */
  readonly countsAnnotations?: boolean;
  /** There is a `/status` subresource: create and update drop status, `/status` drops the rest. */
  readonly hasStatus: boolean;
  /** A created object keeps the status it came with: a kubelet registers its Node whole. */
  readonly keepsStatusAtCreate?: boolean;
  /** An update without resourceVersion is refused (leases, VolumeAttachment, CSI kinds, PDB). */
  readonly requiresResourceVersion?: boolean;
  /** PUT on a missing object creates it (Lease, Event, ...). */
  readonly createsOnUpdate?: boolean;
  /** DELETE answers the object instead of a Status. */
  readonly answersDeletedObject?: boolean;
  /** Two objects are the same only to the letter: nothing declares what their empty values mean. */
  readonly comparesExactly?: boolean;
  /** Where the numbers of the `/scale` path of a custom kind stand. */
  readonly scale?: ScaleSubresource;
  /** A DELETE that does not say leaves dependants behind, as in the first versions of the kind. */
  readonly orphansByDefault?: { readonly warning?: string };
  /**
   * How often upstream looks at the metadata of an update after it has done so for any kind, and by which rules: every fault is
   * told each time. Without it: as a change, then as a new object; of a write to `/status`: as a change.
   */
  readonly metadataChecks?: { readonly update: readonly MetadataCheck[]; readonly status?: readonly MetadataCheck[] };
  readonly nameRule: 'subdomain' | 'label' | 'service' | 'path-segment';
  /** Values of the field selectors beyond metadata.name and metadata.namespace. */
  readonly fieldSelectors?: Readonly<Record<string, FieldValue<T>>>;
  /** How a selector by another field is refused, where the kind has words of its own for it. */
  unknownField?(field: string): string;
  /** What a stored object is by the rules of today, where these may have changed since it was stored. */
  asRead?(object: T): T;
  /** Static defaults; runs on every decoded object, create and update alike. */
  applyDefaults(object: T): T;
  /**
   * The object with what only the server can give it, addresses and ports, or why it cannot; before anything else is looked at.
   * `before` is undefined for a new one. Not asked of a write to a path below the object.
   */
  allocate?(object: T, before: T | undefined, context: StrategyContext): T | StatusError;
  prepareForCreate?(object: T, context: StrategyContext): T;
  /**
   * `sent` in the form that is stored, if it is the stored object itself but for a value that needs no preparation, no
   * validation and no defaults: all that an update does would come to this. Undefined where that cannot be seen at a glance.
   */
  renewed?(sent: object, before: T): T | undefined;
  /** Drops what this request may not change. `before` is the stored object. */
  prepareForUpdate?(object: T, before: T, context: StrategyContext): T;
  prepareForStatusUpdate?(object: T, before: T, context: StrategyContext): T;
  /** Faults of a new object beyond its metadata, which the generic registry validates. */
  validate(object: T): readonly FieldError[];
  /** All faults of an update, in upstream's order, those of `validate` included. Without it `validate` is asked. */
  validateUpdate?(object: T, before: T): readonly FieldError[];
  /** All faults of a write to `/status`; `validate` and `validateUpdate` are not asked then. */
  validateStatusUpdate?(object: T, before: T): readonly FieldError[];
  /** Texts for Warning headers of a create (`before` undefined) or an update. */
  warnings?(object: T, before: T | undefined): readonly string[];
  /** Those of a new object as it was before it was prepared, told even where it is refused then. */
  draftWarnings?(object: T): readonly string[];
  /** Those of a write to `/status`. */
  statusWarnings?(object: T): readonly string[];
  /** Rules of paths other than `/status`: `finalize`, `ephemeralcontainers`, `resize`, `approval`. */
  readonly subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  /** The object marked as ending, where a DELETE only begins its end; undefined where it is deleted as all others are. */
  beginDeletion?(object: T, context: StrategyContext): T | undefined;
  /** Seconds of grace a DELETE gives when it names none; 0 or undefined deletes at once. Pods only. */
  gracePeriodSeconds?(object: T, requested: number | undefined): number | undefined;
}
