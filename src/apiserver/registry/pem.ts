// PEM inside base64, as fields of bytes carry it.

export interface PemBlock {
  readonly type: string;
  /** One letter a byte. */
  readonly bytes: string;
  /** The block holds one ASN.1 sequence, whole. */
  readonly isDer: boolean;
}

const BLOCK = /(?:^|\n)-----BEGIN ([^\n]*?)-----\r?\n([\sA-Za-z0-9+/=]*?)-----END \1-----/g;

/** The blocks in order; none where the text is no base64 or holds none. */
export function derIn(base64: string): readonly PemBlock[] {
  const text = decoded(base64) ?? '';
  return [...text.matchAll(BLOCK)].map(([, type = '', body = '']) => {
    const bytes = decoded(body) ?? '';
    return { type, bytes, isDer: isSequence(bytes) };
  });
}

function decoded(base64: string): string | undefined {
  try {
    return atob(base64.replaceAll(/\s/g, ''));
  } catch {
    return undefined;
  }
}

/** A sequence's tag, and a length that is that of all that follows. */
function isSequence(bytes: string): boolean {
  if (bytes.codePointAt(0) !== 0x30) return false;
  const first = bytes.codePointAt(1) ?? 0;
  if (first < 0x80) return bytes.length === 2 + first;
  const count = first & 0x7f;
  let length = 0;
  for (let at = 0; at < count; at++) length = length * 256 + (bytes.codePointAt(2 + at) ?? 0);
  return bytes.length === 2 + count + length;
}
