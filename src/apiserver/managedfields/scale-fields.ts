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
/** The same path in a workload and in its scale. */
const PATH = [fieldElement('spec'), fieldElement('replicas')] as const;
const REPLICAS = setOf(...PATH);

const hasReplicas = (entry: ManagedFields): boolean => hasPath(fieldsOf(entry), PATH);

const inVersion = (entry: ManagedFields, apiVersion: string, time: string | undefined): ManagedFields =>
  entryFor({ ...entry, apiVersion, subresource: entry.subresource }, REPLICAS, time);

/** Who manages the replicas, as entries of the scale. */
export function scaleEntries(workload: Entries, apiVersion: string): Entries {
  const own = workload.filter((entry) => entry.apiVersion === apiVersion && hasReplicas(entry));
  return sortedEntries(own.map((entry) => inVersion(entry, SCALE_API_VERSION, entry.time)));
}

/** The workload's record once the scale's is `scale`. Entries of other versions are forgotten. */
export function workloadEntries(workload: Entries, scale: Entries, apiVersion: string): Entries {
  const kept: ManagedFields[] = [];
  const arrived = new Set(scale.filter(hasReplicas));
  for (const entry of workload.filter((each) => each.apiVersion === apiVersion)) {
    const same = scale.find((each) => isSameManager(each, entry));
    if (!hasReplicas(entry)) kept.push(entry);
    else if (same !== undefined && arrived.delete(same)) kept.push(entry);
    else {
      const rest = difference(fieldsOf(entry), REPLICAS);
      if (!isEmptySet(rest)) kept.push(withFields(entry, rest));
    }
  }
  return sortedEntries([...kept, ...[...arrived].map((entry) => inVersion(entry, apiVersion, undefined))]);
}
