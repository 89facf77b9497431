// What a request must satisfy before anything is looked up or done, in the order csi-sanity relies on: what is offered,
// then the fields, then existence, then compatibility.
import { CsiStatusError } from '../../csi-error.ts';
import type { AccessMode, CapacityRange, StringMap, VolumeCapability } from '../../driver.ts';
import type { MemorySettings } from './config.ts';

export function requireField(value: string, field: string): void {
  if (value === '') throw new CsiStatusError('INVALID_ARGUMENT', `${field} is missing`);
}

export function requireMessage<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new CsiStatusError('INVALID_ARGUMENT', `${field} is missing`);
  return value;
}

export function checkRange(range: CapacityRange): void {
  if (range.requiredBytes < 0n || range.limitBytes < 0n) {
    throw new CsiStatusError('INVALID_ARGUMENT', 'capacity_range is negative');
  }
  if (range.limitBytes > 0n && range.requiredBytes > range.limitBytes) {
    throw new CsiStatusError('INVALID_ARGUMENT', 'capacity_range requires more than its limit');
  }
}

export function checkCapabilities(capabilities: readonly VolumeCapability[], settings: MemorySettings): void {
  if (capabilities.length === 0) throw new CsiStatusError('INVALID_ARGUMENT', 'volume_capabilities is missing');
  const refusal = capabilityRefusal(capabilities, settings);
  if (refusal !== undefined) throw new CsiStatusError('INVALID_ARGUMENT', refusal);
}

/** Why these capabilities cannot be had from this driver, undefined if they can. */
export function capabilityRefusal(
  capabilities: readonly VolumeCapability[],
  settings: Pick<MemorySettings, 'accessModes'>,
): string | undefined {
  if (new Set(capabilities.map(({ accessType }) => accessType.case)).size > 1) {
    return 'a volume is either a block device or a file system';
  }
  const unknown = capabilities.find(({ accessMode }) => !settings.accessModes.includes(accessMode));
  return unknown === undefined ? undefined : `access mode ${unknown.accessMode} is not supported`;
}

export function checkParameters(parameters: StringMap, settings: MemorySettings): void {
  for (const [key, accepted] of Object.entries(settings.acceptedParameters)) {
    const value = parameters[key];
    if (value !== undefined && !accepted.includes(value)) {
      throw new CsiStatusError('INVALID_ARGUMENT', `parameter ${key}=${value} is not supported`);
    }
  }
}

export function checkMutableParameters(parameters: StringMap, settings: MemorySettings): void {
  const accepted = settings.controller.has('MODIFY_VOLUME') ? settings.acceptedMutableParameters : [];
  const refused = Object.keys(parameters).find((key) => accepted !== undefined && !accepted.includes(key));
  if (refused !== undefined) {
    throw new CsiStatusError('INVALID_ARGUMENT', `mutable parameter ${refused} is not supported`);
  }
}

export const isMultiNode = (mode: AccessMode): boolean => mode.startsWith('MULTI_NODE_');

/** Same text, same arguments: keys in any order. */
export function fingerprintOf(value: unknown): string {
  return JSON.stringify({ value }, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}

export const isSame = (a: unknown, b: unknown): boolean => fingerprintOf(a) === fingerprintOf(b);

/** Cuts one page. A token names the last entry handed out, so deletions between pages neither skip nor repeat. */
export function page<T extends { readonly sequence: number }>(
  all: Iterable<T>,
  request: { readonly maxEntries: number; readonly startingToken: string },
): { readonly items: readonly T[]; readonly nextToken: string } {
  if (request.maxEntries < 0) throw new CsiStatusError('INVALID_ARGUMENT', 'max_entries is negative');
  if (!/^\d*$/.test(request.startingToken)) throw new CsiStatusError('ABORTED', 'starting_token is not one of ours');
  const after = Number(request.startingToken);
  const rest = [...all].filter(({ sequence }) => sequence > after);
  const items = request.maxEntries === 0 ? rest : rest.slice(0, request.maxEntries);
  const last = items.at(-1);
  return { items, nextToken: last === undefined || items.length === rest.length ? '' : String(last.sequence) };
}
