// What a cluster is made of, from what its data directory keeps and what the user asks for. A cluster that exists keeps its
// nodes, drivers and classes as they are; more of them may come, and timings, versions and who runs what may change.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { writeOwned } from '../apiserver/http/certificates/authority.ts';
import type { ClusterShape, DriverShape } from '../worlds/cluster-shape.ts';
import { type ClusterSize, embeddedShape, sizeOf } from '../worlds/embedded-shape.ts';
import { CommandError } from './command-error.ts';

const DEFAULT_SIZE: ClusterSize = { nodes: 3, zones: 2 };
/** 1, without a number of its own, was the size of a cluster; 2 is all of its shape. */
const FORMAT = 2;

/** What the user said of a cluster. */
export interface Asked {
  readonly nodes?: number;
  readonly zones?: number;
  readonly profile?: string;
  /** From a cluster file. */
  readonly shape?: ClusterShape;
}

const fileOf = (directory: string): string => path.join(directory, 'cluster.json');

/** undefined: there is no cluster yet. */
export function keptShape(directory: string): ClusterShape | undefined {
  const file = fileOf(directory);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new CommandError(`cannot read ${file}: ${code ?? message}`);
  }
  const read = parsedShape(text);
  if (read === 'newer')
    throw new CommandError(
      `${file} was written by a newer version of this program, whose clusters this one cannot run`,
    );
  if (read === 'damaged')
    throw new CommandError(`${file} is damaged; without it this program cannot tell what runs there`);
  return read;
}

export function keepShape(directory: string, shape: ClusterShape): void {
  writeOwned(fileOf(directory), `${JSON.stringify({ format: FORMAT, shape }, undefined, 2)}\n`);
}

export function parsedShape(text: string): ClusterShape | 'newer' | 'damaged' {
  try {
    const { format, shape, nodes, zones } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof format === 'number' && format > FORMAT) return 'newer';
    if (format === FORMAT) return isShape(shape) ? shape : 'damaged';
    const isCount = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0;
    return isCount(nodes) && isCount(zones) && zones <= nodes ? embeddedShape({ nodes, zones }) : 'damaged';
  } catch {
    return 'damaged';
  }
}

function isShape(value: unknown): value is ClusterShape {
  if (typeof value !== 'object' || value === null) return false;
  const { nodes, drivers, classes, settings, profile } = value as Partial<Record<string, unknown>>;
  return [nodes, drivers, classes].every(Array.isArray) && typeof settings === 'object' && typeof profile === 'string';
}

/** The shape that runs now; a sentence where what is asked for cannot be. */
export function decideShape(kept: ClusterShape | undefined, asked: Asked): ClusterShape | string {
  const shape = kept === undefined ? begun(asked) : continued(kept, asked);
  if (typeof shape === 'string') return shape;
  return asked.profile === undefined ? shape : { ...shape, profile: asked.profile };
}

function begun({ nodes, zones, shape }: Asked): ClusterShape | string {
  if (shape !== undefined) return shape;
  const count = nodes ?? DEFAULT_SIZE.nodes;
  const size = { nodes: count, zones: zones ?? Math.min(DEFAULT_SIZE.zones, count) };
  return size.zones > count ? `${size.zones} zones need as many nodes, not ${count}` : embeddedShape(size);
}

function continued(kept: ClusterShape, { nodes, zones, shape }: Asked): ClusterShape | string {
  const size = sizeOf(kept);
  if ((nodes ?? size.nodes) !== size.nodes || (zones ?? size.zones) !== size.zones)
    return `the cluster in this data directory has ${size.nodes} nodes in ${size.zones} zones and keeps them; another size needs another --data-dir`;
  if (shape === undefined) return kept;
  return faultOfChange(kept, shape) ?? shape;
}

function faultOfChange(kept: ClusterShape, given: ClusterShape): string | undefined {
  const named = ({ name }: { readonly name: string }): string => name;
  const drivers = (shape: ClusterShape) =>
    shape.drivers.map((each) => ({ ...lasting(each, kept), name: each.driver.name }));
  return (
    faultOf('node', kept.nodes, given.nodes, named) ??
    faultOf('driver', drivers(kept), drivers(given), named) ??
    faultOf('class', kept.classes, given.classes, named) ??
    faultOf('attributes class', kept.attributesClasses ?? [], given.attributesClasses ?? [], named)
  );
}

function faultOf<T extends object>(
  what: string,
  kept: readonly T[],
  given: readonly T[],
  nameOf: (each: T) => string,
): string | undefined {
  const byName = new Map(given.map((each) => [nameOf(each), each]));
  for (const each of kept) {
    const now = byName.get(nameOf(each));
    const which = `${what} "${nameOf(each)}"`;
    if (now === undefined)
      return `the cluster in this data directory has ${which}, the file has not: a file may add and not take away; another --data-dir begins anew`;
    if (!isDeepStrictEqual(each, now))
      return `the cluster in this data directory has ${which} otherwise than the file; what is there stays as it is, another --data-dir begins anew`;
  }
  return undefined;
}

/** What of a driver must stay: not how long its calls take, and of its places only those of nodes that were there. */
function lasting({ driver, attachRequired, storageCapacity }: DriverShape, { nodes }: ClusterShape): object {
  const rest = { attachRequired, storageCapacity };
  if (driver.topology === undefined) return { ...rest, driver };
  const { segments, ...topology } = driver.topology;
  const known = new Set(nodes.map(({ name }) => name));
  const ofKnown = Object.entries(segments).map(([key, value]): readonly [string, unknown] => [
    key,
    typeof value === 'string' ? value : Object.fromEntries(Object.entries(value).filter(([node]) => known.has(node))),
  ]);
  return { ...rest, driver: { ...driver, topology: { ...topology, segments: new Map(ofKnown) } } };
}

/** What of a shape is not there yet. */
export function addedTo(kept: ClusterShape | undefined, shape: ClusterShape): ClusterShape {
  if (kept === undefined) return shape;
  const without = <T>(all: readonly T[], there: readonly T[], nameOf: (each: T) => string): readonly T[] => {
    const names = new Set(there.map(nameOf));
    return all.filter((each) => !names.has(nameOf(each)));
  };
  return {
    ...shape,
    drivers: without(shape.drivers, kept.drivers, ({ driver }) => driver.name),
    classes: without(shape.classes, kept.classes, ({ name }) => name),
    attributesClasses: without(shape.attributesClasses ?? [], kept.attributesClasses ?? [], ({ name }) => name),
  };
}
