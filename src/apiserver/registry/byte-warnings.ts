// kubernetes:pkg/api/{pod,persistentvolumeclaim}
import { goQuote } from '../../kube/go-text.ts';
import { seemsFractional } from '../../kube/quantity.ts';

/** Of an amount of bytes that is none: parts of a byte. */
export function warnOfBytes(
  amounts: Readonly<Record<string, string>> | undefined,
  name: string,
  path: string,
): readonly string[] {
  const amount = amounts?.[name];
  return amount === undefined || !seemsFractional(amount)
    ? []
    : [`${path}[${name}]: fractional byte value ${goQuote(amount)} is invalid, must be an integer`];
}
