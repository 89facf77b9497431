// The record of managed fields as the scale of a workload shows it, and the workload's record after a write to its scale.
// Only the replicas are in both. Upstream names updaters with their version, which is another in the scale than in the
// workload; so replicas that an updater keeps leave its entry for one of their own, without a time. That is kept.
// apimachinery:pkg/util/managedfields/scalehandler.go
import type { ManagedFields } from '../../kube/object.ts';
import { difference, hasPath, isEmptySet, setOf } from './field-set.ts';
import { type Entries, entryFor, fieldsOf, isSameManager, sortedEntries, withFields } from './managed-fields.ts';
import { fieldElement } from './path-element.ts';

/** kubernetes:staging/src/k8s.io/apimachinery/pkg/util/managedfields/scalehandler.go */
const SCALE_API_VERSION = 'autoscaling/v1';
/** Where the replicas stand, as steps of a path. */
type Replicas = readonly [string, ...string[]];
/** In a scale, and in the workloads of Kubernetes. */
const PATH: Replicas = [fieldElement('spec'), fieldElement('replicas')];

const hasReplicas = (entry: ManagedFields, path: Replicas): boolean => hasPath(fieldsOf(entry), path);

interface Target {
  readonly apiVersion: string;
  readonly path: Replicas;
  readonly time: string | undefined;
}

const inVersion = (entry: ManagedFields, { apiVersion, path, time }: Target): ManagedFields =>
  entryFor({ ...entry, apiVersion, subresource: entry.subresource }, setOf(...path), time);

/** A workload: its version, and the names on the way to its replicas where they are not the usual ones. */
export interface ScaledKind {
  readonly apiVersion: string;
  readonly replicas?: readonly string[];
}

function pathOf({ replicas = [] }: ScaledKind): Replicas {
  const [first, ...rest] = replicas;
  return first === undefined ? PATH : [fieldElement(first), ...rest.map(fieldElement)];
}

/** Who manages the replicas, as entries of the scale. */
export function scaleEntries(workload: Entries, kind: ScaledKind): Entries {
  const path = pathOf(kind);
  const own = workload.filter((entry) => entry.apiVersion === kind.apiVersion && hasReplicas(entry, path));
  return sortedEntries(
    own.map((entry) => inVersion(entry, { apiVersion: SCALE_API_VERSION, path: PATH, time: entry.time })),
  );
}

/** The workload's record once the scale's is `scale`. Entries of other versions are forgotten. */
export function workloadEntries(workload: Entries, scale: Entries, kind: ScaledKind): Entries {
  const { apiVersion } = kind;
  const path = pathOf(kind);
  const kept: ManagedFields[] = [];
  const arrived = new Set(scale.filter((entry) => hasReplicas(entry, PATH)));
  for (const entry of workload.filter((each) => each.apiVersion === apiVersion)) {
    const same = scale.find((each) => isSameManager(each, entry));
    if (!hasReplicas(entry, path)) kept.push(entry);
    else if (same !== undefined && arrived.delete(same)) kept.push(entry);
    else {
      const rest = difference(fieldsOf(entry), setOf(...path));
      if (!isEmptySet(rest)) kept.push(withFields(entry, rest));
    }
  }
  return sortedEntries([
    ...kept,
    ...[...arrived].map((entry) => inVersion(entry, { apiVersion, path, time: undefined })),
  ]);
}
