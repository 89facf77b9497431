// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/rest.go
import type { OwnerReference } from '../../kube/object.ts';
import type { Call, StoredObject } from './generic-call.ts';
import { sameValue } from './semantic-equal.ts';

/** When the second look finds what the first did not. */
export const AFTER_ADMISSION = ' after mutating admission happens';

/** Owner references that stand twice are stored once, and the client is told. */
export function withoutDuplicateOwners(object: StoredObject, { warnings }: Call, when: string): StoredObject {
  const references = object.metadata.ownerReferences ?? [];
  if (references.length < 2) return object;
  const kept: OwnerReference[] = [];
  const duplicates: string[] = [];
  for (const reference of references) {
    if (kept.some((each) => sameValue(each, reference))) duplicates.push(reference.uid);
    else kept.push(reference);
  }
  if (duplicates.length === 0) return object;
  const advice =
    'API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests';
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; ${advice}; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
  return { ...object, metadata: { ...object.metadata, ownerReferences: kept } };
}
