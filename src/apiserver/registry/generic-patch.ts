import { unsupportedMediaType } from '../../kube/api-error.ts';
import type { Patch } from '../../kube/cluster.ts';
import type { PlainPatch } from '../../kube/patch/patch.ts';

const ACCEPTED = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Server-side apply is not served: it is refused like any patch of a kind that the server does not know. */
export function requirePlain(patch: Patch): asserts patch is PlainPatch {
  if (patch.type === 'apply') throw unsupportedMediaType(ACCEPTED);
}
