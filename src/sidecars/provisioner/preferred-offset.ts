// Spreads the claims of a StatefulSet over places although nobody chose a node: each ordinal starts one place further,
// and all claims of one pod start at the same. kubernetes:pkg/volume/util/util.go
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const UINT32 = 2 ** 32;

/** Where to start, as an unsigned 32-bit number to be taken modulo the number of places. */
export function preferredOffset(claimName: string): number {
  const { hashed, ordinal } = partsOf(claimName);
  return (fnv1(hashed) + ordinal) % UINT32;
}

/** FNV-1, 32 bit, of the UTF-8 bytes: multiply, then xor. */
export function fnv1(text: string): number {
  let hash = FNV_BASIS;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, FNV_PRIME) ^ byte;
  return hash >>> 0;
}

/** `data-web-1` counts as ordinal 1 of `web`; a name without a number at its end is hashed whole. */
function partsOf(claimName: string): { readonly hashed: string; readonly ordinal: number } {
  const dash = claimName.lastIndexOf('-');
  const ordinal = claimName.slice(dash + 1);
  if (dash < 0 || !/^[0-9]+$/.test(ordinal) || BigInt(ordinal) >= BigInt(UINT32))
    return { hashed: claimName, ordinal: 0 };
  const rest = claimName.slice(0, dash);
  return { hashed: rest.slice(rest.lastIndexOf('-') + 1), ordinal: Number(ordinal) };
}
