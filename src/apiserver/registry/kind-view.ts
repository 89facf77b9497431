// One of several shapes in which a stored kind is served.
import type { MapApply } from '../managedfields/apply-type.ts';
import type { KubeObject, Resource } from '../../kube/object.ts';
import type { Strategy } from './strategy.ts';

export interface KindView {
  /** As clients of this view see it. */
  readonly resource: Resource<KubeObject>;
  /** Rules for writes through this view, on the stored shape. Its resource is the stored one. */
  readonly strategy: Strategy;
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
  /** Refuses what is of another type than the path, where that is done in words of its own. */
  requireType?(raw: unknown): void;
  /** How server-side apply merges it, where no declaration says so. */
  readonly applyType?: MapApply;
  /** The other versions of a kind that clients define. */
  readonly siblings?: readonly KindView[];
}
