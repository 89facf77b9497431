import { CommandError } from './command-error.ts';

export function wholeNumber(option: string, text: string): number {
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw new CommandError(`${option} takes a whole number, not "${text}"`);
  return Number(text);
}
