import { type Rejection, unresolvable } from './status.ts';

/** How a missing object is told: listers name the kind in the singular. kubernetes:staging/src/k8s.io/client-go/listers */
export const lookupError = (kind: LookupKind, name: string): string => `${kind} "${name}" not found`;

export type LookupKind = 'persistentvolumeclaim' | 'persistentvolume' | 'storageclass.storage.k8s.io' | 'node' | 'pod';

export const missing = (kind: LookupKind, name: string): Rejection => unresolvable(lookupError(kind, name));
