// One attempt to place a pod, told in a word: the names of the nodes that fit, or what is said of none.
import { SeededRandom } from '../../src/base/random.ts';
import { findNodesThatFit } from '../../src/controlplane/scheduler/find-nodes.ts';
import { fitMessage } from '../../src/controlplane/scheduler/fit-message.ts';
import { Nominator } from '../../src/controlplane/scheduler/nominations.ts';
import { defaultPlugins } from '../../src/controlplane/scheduler/plugins.ts';
import { profileOf } from '../../src/controlplane/scheduler/profile.ts';
import type { Pod } from '../../src/kube/resources/pod.ts';
import { type SnapshotParts, aNode, aSnapshot, aWorkload } from './makers.ts';

export interface FitRow {
  readonly name: string;
  /** One with the claim `c` unless told otherwise. */
  readonly pod?: Pod;
  readonly given: SnapshotParts;
  readonly version?: string;
  readonly expect: readonly string[] | string;
}

export function outcomeOf({ pod = aWorkload({ claims: ['c'] }), given, version }: FitRow): readonly string[] | string {
  const plugins = defaultPlugins(profileOf(version), new SeededRandom('test'));
  const result = findNodesThatFit({ pod, plugins, cluster: aSnapshot(given), nominations: new Nominator() });
  switch (result.type) {
    case 'fits':
      return result.nodes.map(({ name }) => name);
    case 'unfit':
      return fitMessage(result.diagnosis, '');
    case 'error':
      return result.message;
    default:
      return result.type;
  }
}

/** All nodes refused for one reason. */
export const refused = (count: number, reason: string): string => `0/${count} nodes are available: ${count} ${reason}.`;

export const zoned = (name: string, zone: string) => aNode({ name, labels: { 'topology.kubernetes.io/zone': zone } });
export const threeNodes = ['n1', 'n2', 'n3'].map((name) => aNode({ name }));
