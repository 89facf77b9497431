import type { Patch } from '../kube/cluster.ts';

export function mergePatch(target: unknown, patch: Patch): unknown {
  if (patch.type === 'json') throw new Error('json patches are not there yet');
  return merged(target, patch.body);
}
function merged(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const out: Record<string, unknown> = {
    ...(target !== null && typeof target === 'object' && !Array.isArray(target) ? target : {}),
  };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merged(out[key], value);
  }
  return out;
}
