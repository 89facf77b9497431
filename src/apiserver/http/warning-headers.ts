// Warnings travel in headers, each once, and in bounds: a client must not be drowned by what it sent itself.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go

const ALL_LENGTH_MAX = 4 * 1024;
/** What is left of each when all together are too long. */
const EACH_LENGTH_MAX = 256;

export function warningHeaders(texts: readonly string[]): readonly string[] {
  const unique = [...new Set(texts)];
  const length = unique.reduce((sum, text) => sum + text.length, 0);
  const kept = length > ALL_LENGTH_MAX ? unique.map((text) => text.slice(0, EACH_LENGTH_MAX)) : unique;
  const headers: string[] = [];
  let room = ALL_LENGTH_MAX;
  for (const text of kept) {
    room -= text.length;
    if (room < 0) break;
    headers.push(`299 - "${headerText(text)}"`);
  }
  return headers;
}

/** A quoted string of RFC 7230: no controls, quotes and backslashes escaped, other letters as the bytes of their UTF-8. */
function headerText(text: string): string {
  const visible = text.replaceAll(/\p{Cc}/gu, ' ').replaceAll(/["\\]/g, (character) => `\\${character}`);
  return Buffer.from(visible, 'utf8').toString('latin1');
}
