/** A bug in Mooring, not in the world around it: a promise between two lines of our own code does not hold. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

export function assert(condition: boolean, fact: string): asserts condition {
  if (!condition) throw new AssertionFailure(fact);
}

/** Ends a switch over a union: a forgotten member does not compile. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`not a known case: ${JSON.stringify(value)}`);
}
