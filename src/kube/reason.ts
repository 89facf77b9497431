import type { ObjectKey } from './object.ts';

/** Why a key is worked on. `entry` is the timeline number of what led here, null if nothing recorded did. */
export type Reason = { readonly entry: number | null } & (
  | { readonly type: 'changed'; readonly kind: string; readonly key: ObjectKey }
  | { readonly type: 'requeued'; readonly waitingFor: string }
  | { readonly type: 'failed'; readonly attempt: number }
  | { readonly type: 'started' | 'resync' | 'deadline' }
);
