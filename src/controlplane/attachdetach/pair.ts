/** A volume and the node it is, or shall be, attached to. Volumes go by their unique name. */
export interface Pair {
  readonly volume: string;
  readonly node: string;
}

/** The name of a node has neither slash nor blank, and a unique name has a slash before anything else. */
const PAIR_KEY = /^[^/ ]+ (.*)$/s;

export const keyOfPair = ({ volume, node }: Pair): string => `${node} ${volume}`;

/** The volume of a pair's key; undefined for a key that is a volume alone. */
export const volumeOfKey = (key: string): string | undefined => PAIR_KEY.exec(key)?.[1];
