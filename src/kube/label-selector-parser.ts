// Reads the text form of a label selector. The grammar is looser than it looks, and clients rely on it: `a in (,b)` has
// an empty value, `a=` asks for one, `in` and `notin` may be keys and values.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/labels/selector.go
import { invalid } from './field-error.ts';
import { type LabelOperator, type LabelRequirement, SelectorError, checkedRequirement } from './label-requirement.ts';
import { faultsOfQualifiedName } from './names.ts';

interface Token {
  readonly type: 'end' | 'word' | 'symbol';
  readonly text: string;
}

const SYMBOLS: readonly string[] = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'];
const SPECIAL = '=!(),><';
const WHITESPACE = ' \t\r\n';

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (WHITESPACE.includes(character)) {
      position++;
      continue;
    }
    const token = SPECIAL.includes(character) ? symbolAt(text, position) : wordAt(text, position);
    tokens.push(token);
    position += token.text.length;
  }
  return [...tokens, { type: 'end', text: '' }];
}

function symbolAt(text: string, position: number): Token {
  const symbol = SYMBOLS.find((each) => text.startsWith(each, position));
  return { type: 'symbol', text: symbol ?? text.charAt(position) };
}

function wordAt(text: string, position: number): Token {
  let end = position;
  while (end < text.length && !(SPECIAL + WHITESPACE).includes(text.charAt(end))) end++;
  return { type: 'word', text: text.slice(position, end) };
}

export function parseRequirements(text: string): readonly LabelRequirement[] {
  return new Parser(tokensOf(text)).parse();
}

const OPERATOR_NAMES = 'in, notin, =, ==, !=, gt, lt';
const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};
const END: Token = { type: 'end', text: '' };

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): readonly LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.type === 'end') return requirements;
      if (!startsRequirement(token)) throw unexpected(token, "expected: !, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.type === 'end') return requirements;
      if (next.text !== ',') throw unexpected(next, "expected: ',' or 'end of string'");
      const after = this.#peek();
      if (!startsRequirement(after)) throw unexpected(after, "expected: identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    try {
      return this.#parseRequirement();
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      throw new SelectorError(`unable to parse requirement: ${error.message}`);
    }
  }

  #parseRequirement(): LabelRequirement {
    let token = this.#take();
    const isNegated = token.text === '!';
    if (isNegated) token = this.#take();
    if (token.type !== 'word') throw unexpected(token, 'expected: identifier');
    const key = token.text;
    const faults = faultsOfQualifiedName(key);
    if (faults.length > 0) {
      const { text } = invalid('', key, faults.join('; '));
      throw new SelectorError(`<nil>: ${text}`);
    }
    // `!a=b` asks that `a` be absent, and then stumbles over what follows.
    if (isNegated) return checkedRequirement({ key, operator: '!', values: [] });
    if (endsTerm(this.#peek())) return checkedRequirement({ key, operator: 'exists', values: [] });
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#valueList() : [this.#exactValue()];
    return checkedRequirement({ key, operator, values: [...new Set(values)].toSorted() });
  }

  #operator(): LabelOperator {
    const token = this.#take();
    const operator = Object.hasOwn(OPERATORS, token.text) ? OPERATORS[token.text] : undefined;
    if (operator === undefined) throw unexpected(token, `expected: ${OPERATOR_NAMES}`);
    return operator;
  }

  #exactValue(): string {
    if (endsTerm(this.#peek())) return '';
    const token = this.#take();
    if (token.type !== 'word') throw unexpected(token, 'expected: identifier');
    return token.text;
  }

  #valueList(): readonly string[] {
    const open = this.#take();
    if (open.text !== '(') throw new SelectorError(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.text === ')') {
      this.#take();
      return [''];
    }
    if (first.type !== 'word' && first.text !== ',') throw unexpected(first, "expected: ',', ')' or identifier");
    const values = this.#values();
    this.#take();
    return values;
  }

  /** Up to the closing parenthesis, which stays. A comma at either end or next to another stands for an empty value. */
  #values(): readonly string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      const next = this.#peek();
      if (token.type === 'word') {
        values.push(token.text);
        if (next.text === ')') return values;
        if (next.text !== ',') throw unexpected(next, "expected: ',' or ')'");
      } else if (token.text === ',') {
        if (values.length === 0 || next.text === ',' || next.text === ')') values.push('');
        if (next.text === ')') return values;
      } else {
        throw unexpected(token, "expected: ',', or identifier");
      }
    }
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? END;
  }

  #take(): Token {
    return this.#tokens[this.#position++] ?? END;
  }
}

const startsRequirement = (token: Token): boolean => token.type === 'word' || token.text === '!';
const endsTerm = (token: Token): boolean => token.type === 'end' || token.text === ',';
const unexpected = (token: Token, expected: string): SelectorError =>
  new SelectorError(`found '${token.text}', ${expected}`);
