/** A volume and the node it is, or shall be, attached to. Volumes go by their unique name. */
export interface Pair {
  readonly volume: string;
  readonly node: string;
}

/** Stands in no name of a node, so the last one parts the two whatever characters the handle of the volume has. */
const SEPARATOR = '\u0000';

export const keyOfPair = ({ volume, node }: Pair): string => `${volume}${SEPARATOR}${node}`;

/** The volume of a pair's key; undefined for a key that is a volume alone. */
export function volumeOfKey(key: string): string | undefined {
  const at = key.lastIndexOf(SEPARATOR);
  return at < 0 ? undefined : key.slice(0, at);
}
