import { unreachable } from '../base/assert.ts';
import type { ClusterShape } from './cluster-shape.ts';
import { type Switched, isOn } from './component-switches.ts';
import { controllerNames } from './components.ts';
import { PROGRAMS, type Program } from './settings.ts';

/** How many components of a program a cluster has, and which of them are left to others. */
export interface ProgramParts {
  readonly program: Program;
  readonly all: number;
  /** By upstream's names; a program with one part only, by its own. */
  readonly off: readonly string[];
}

export function programParts(shape: ClusterShape): readonly ProgramParts[] {
  const { components = {} } = shape;
  return PROGRAMS.map((program) => {
    const parts = partsOf(program, shape);
    const off = parts.filter((part) => !isOn({ program, part }, components));
    return { program, all: parts.length, off };
  });
}

function partsOf(program: Program, { nodes, drivers }: ClusterShape): readonly Switched['part'][] {
  switch (program) {
    case 'kube-controller-manager':
      return controllerNames();
    case 'kube-scheduler':
      return [program];
    case 'csi-provisioner':
    case 'csi-attacher':
    case 'csi-resizer':
      return drivers.map(({ driver }) => driver.name);
    case 'kubelet':
      return nodes.map(({ name }) => name);
    default:
      return unreachable(program);
  }
}
