// `${name}` and `$name` in a text, as Go's os.Expand reads them: a name without braces ends at the first character that
// is no letter, digit or underscore; `$$` names the token `$`; a lone `$` stays.
import type { StringMap } from '../../csi/driver.ts';

const SPECIAL = '*#$@!?-0123456789';

export function expandTemplate(
  template: string,
  tokens: StringMap,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  let text = '';
  let at = 0;
  while (at < template.length) {
    const dollar = template.indexOf('$', at);
    if (dollar < 0 || dollar + 1 >= template.length) break;
    text += template.slice(at, dollar);
    const { name, length } = tokenAt(template.slice(dollar + 1));
    if (name === undefined) text += length === 0 ? '$' : '';
    else if (Object.hasOwn(tokens, name)) text += tokens[name] ?? '';
    else missing.add(name);
    at = dollar + 1 + length;
  }
  return { text: text + template.slice(at), missing: [...missing].sort() };
}

/** The token after a dollar and how many characters it takes. Bad syntax is eaten and names nothing. */
function tokenAt(rest: string): { readonly name: string | undefined; readonly length: number } {
  if (rest.startsWith('{')) return bracedAt(rest);
  const first = rest.charAt(0);
  if (SPECIAL.includes(first)) return { name: first, length: 1 };
  const name = /^[A-Za-z0-9_]*/.exec(rest)?.[0] ?? '';
  return { name: name === '' ? undefined : name, length: name.length };
}

function bracedAt(rest: string): { readonly name: string | undefined; readonly length: number } {
  const end = rest.indexOf('}', 1);
  if (end < 0) return { name: undefined, length: 1 };
  const name = rest.slice(1, end);
  return name === '' ? { name: undefined, length: 2 } : { name, length: end + 1 };
}
