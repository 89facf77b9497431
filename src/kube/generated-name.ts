import type { Random } from '../base/random.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/storage/names/generate.go */
const BASE_LENGTH_MAX = 58;
const SUFFIX_LENGTH = 5;
/** No vowels and no look-alikes: a random name is never a word. kubernetes:staging/src/k8s.io/apimachinery/pkg/util/rand/rand.go */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The name that a generateName becomes: at most 63 characters, the last five by chance. */
export function generatedName(base: string, random: Random): string {
  let name = base.slice(0, BASE_LENGTH_MAX);
  for (let count = 0; count < SUFFIX_LENGTH; count++) name += ALPHABET.charAt(random.int(0, ALPHABET.length));
  return name;
}

/** Rewrites a hash in the alphabet of generated names: what `pod-template-hash` and controller revisions are made of. */
export const safeEncoded = (text: string): string =>
  Array.from(text, (character) => ALPHABET.charAt((character.codePointAt(0) ?? 0) % ALPHABET.length)).join('');
