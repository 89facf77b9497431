import type { NumberedEntry } from '../../runtime/timeline.ts';

/** FNV-1a over everything that an entry says, in two halves. */
export function hashOf(entries: readonly NumberedEntry[]): string {
  let [low, high] = [0x811c9dc5, 0x9e3779b9];
  for (const entry of entries) {
    const text = lineOf(entry);
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x01000197);
    }
  }
  return [low, high].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function lineOf({ number, at, actor, verb, kind, key, detail = '', because }: NumberedEntry): string {
  return `${number}|${at}|${actor}|${verb}|${kind}|${key}|${detail}|${because ?? ''}\n`;
}

/** Where two runs part; undefined if they are equal. */
export function firstDifference(
  one: readonly NumberedEntry[],
  other: readonly NumberedEntry[],
): { readonly number: number; readonly one: string; readonly other: string } | undefined {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [a, b] = [one[index], other[index]].map((entry) =>
      entry === undefined ? 'nothing' : lineOf(entry).trimEnd(),
    );
    if (a !== b) return { number: index + 1, one: a ?? '', other: b ?? '' };
  }
  return undefined;
}
