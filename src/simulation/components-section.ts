// Which components of a cluster are ours, by upstream's names.
import type { ClusterShape, ComponentSwitches } from '../worlds/cluster-shape.ts';
import { PROGRAMS_WITH_PARTS } from '../worlds/component-switches.ts';
import { controllerNames } from '../worlds/components.ts';
import { PROGRAMS, type Program } from '../worlds/settings.ts';
import { type YamlValue, nearest } from './yaml-reader.ts';

export function readComponents(
  value: YamlValue,
  { nodes, drivers }: Pick<ClusterShape, 'nodes' | 'drivers'>,
): ComponentSwitches {
  const known = [...PROGRAMS, ...controllerNames()];
  const partsOf = (program: Program): readonly string[] =>
    program === 'kubelet' ? nodes.map(({ name }) => name) : drivers.map(({ driver }) => driver.name);
  const entries = [...value.entries('components')].map(([name, each]): readonly [string, ComponentSwitches[string]] => {
    if (!known.includes(name)) return each.failAtKey(`no component "${name}"${nearest(name, known)}`);
    const program = PROGRAMS_WITH_PARTS.find((candidate) => candidate === name);
    return [
      name,
      program !== undefined && each.isMap ? readParts(each, name, partsOf(program)) : readSwitch(each, name),
    ];
  });
  return Object.fromEntries(entries);
}

function readParts(value: YamlValue, program: string, known: readonly string[]): Readonly<Record<string, boolean>> {
  const entries = [...value.entries(program)].map(([part, each]) => {
    if (!known.includes(part)) return each.failAtKey(`no ${program} of "${part}"${nearest(part, known)}`);
    return [part, readSwitch(each, `${program}.${part}`)] as const;
  });
  return Object.fromEntries(entries);
}

/** YAML reads `on` and `off` as true and false. */
function readSwitch(value: YamlValue, what: string): boolean {
  const given = value.json();
  return typeof given === 'boolean' ? given : value.fail(`${what} is on or off`);
}
