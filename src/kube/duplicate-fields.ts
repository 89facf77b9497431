// Keys that a JSON text has twice in one object: a parser keeps the last and forgets the rest, but strict decoding names
// them. The text must be one that parses.

/** Paths such as `metadata.name` and `spec.containers[0].image`, in the order of the text, each once. */
export function duplicateFields(text: string, parsed: unknown): readonly string[] {
  // What a program wrote is as long as it is when written again, unless a key was lost. Saves the slow scan nearly always.
  if (text.trimEnd().length === JSON.stringify(parsed).length) return [];
  const scanner = new Scanner(text);
  scanner.value('');
  return [...scanner.duplicates];
}

/** Where each field stands in the text, counted in fields; one that stands twice where it does so first. */
export function fieldPlaces(text: string): ReadonlyMap<string, number> {
  const scanner = new Scanner(text);
  scanner.places = new Map();
  scanner.value('');
  return scanner.places;
}

class Scanner {
  readonly duplicates = new Set<string>();
  /** Kept only for who asks. */
  places: Map<string, number> | undefined;
  readonly #text: string;
  #position = 0;
  #fields = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Moves behind the value at hand, which stands at `path`. */
  value(path: string): void {
    switch (this.#peek()) {
      case '{':
        return this.#object(path);
      case '[':
        return this.#list(path);
      case '"':
        this.#string();
        return;
      default:
        while (this.#position < this.#text.length && !',]} \t\r\n'.includes(this.#text.charAt(this.#position)))
          this.#position++;
    }
  }

  #object(path: string): void {
    const seen = new Set<string>();
    this.#position++;
    while (this.#peek() !== '}') {
      const key = this.#string();
      const member = path === '' ? key : `${path}.${key}`;
      const isAgain = seen.has(key);
      this.places?.set(member, this.#placeOf(member, isAgain));
      if (isAgain) this.duplicates.add(member);
      seen.add(key);
      this.#skip(':');
      this.value(member);
      this.#skip(',');
    }
    this.#position++;
  }

  #placeOf(member: string, isAgain: boolean): number {
    const known = this.places?.get(member);
    const isTold = known !== undefined && (!isAgain || this.duplicates.has(member));
    this.#fields++;
    return isTold ? known : this.#fields;
  }

  #list(path: string): void {
    this.#position++;
    for (let index = 0; this.#peek() !== ']'; index++) {
      this.value(`${path}[${index}]`);
      this.#skip(',');
    }
    this.#position++;
  }

  #string(): string {
    const start = this.#position++;
    while (this.#text.charAt(this.#position) !== '"')
      this.#position += this.#text.charAt(this.#position) === '\\' ? 2 : 1;
    return String(JSON.parse(this.#text.slice(start, ++this.#position)));
  }

  /** The next character that is no space. */
  #peek(): string {
    while (' \t\r\n'.includes(this.#text.charAt(this.#position)) && this.#position < this.#text.length)
      this.#position++;
    return this.#text.charAt(this.#position);
  }

  #skip(character: string): void {
    if (this.#peek() === character) this.#position++;
    this.#peek();
  }
}
