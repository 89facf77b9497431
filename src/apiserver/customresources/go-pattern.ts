// Regular expressions as Go writes them, for JavaScript's engine.

const FLAGS = /^\(\?([a-zA-Z]+)\)/;
const CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/** Undefined if it is no regular expression. */
export function goPattern(pattern: string): RegExp | undefined {
  const flags = FLAGS.exec(pattern)?.[1] ?? '';
  const body = translated(pattern.replace(FLAGS, ''));
  const own = `${flags.includes('i') ? 'i' : ''}${flags.includes('m') ? 'm' : ''}${flags.includes('s') ? 's' : ''}`;
  // With `u` classes like \p{L} work, but needless escapes, which Go allows, are refused.
  return compiled(body, `${own}u`) ?? compiled(body, own);
}

const translated = (pattern: string): string =>
  pattern
    .replace(/\[:(\^?)(\w+):\]/g, (whole, negated: string, name: string) =>
      negated === '' ? (CLASSES[name] ?? whole) : whole,
    )
    .replace(/\(\?P</g, '(?<')
    .replace(/\\A/g, '^')
    .replace(/\\z/g, '$')
    .replace(/\\p([A-Z])/g, '\\p{$1}');

function compiled(body: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(body, flags);
  } catch {
    return undefined;
  }
}
