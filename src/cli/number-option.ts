import { InvalidArgumentError } from 'commander';

/** Reads a whole number of an option, within bounds. */
export function wholeNumber(what: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`${what} is a whole number from ${least} to ${most}`);
    return value;
  };
}
