// How a cluster stands, in numbers.
import type { KubeObject, Resource } from '../kube/object.ts';
import { type Node, Nodes } from '../kube/resources/node.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../kube/resources/pod.ts';
import { type VolumeAttachment, VolumeAttachments } from '../kube/resources/volume-attachment.ts';

/** `good` of `all` are as they should be. */
export interface Count {
  readonly what: string;
  readonly good: number;
  readonly all: number;
  /** What the good ones are. */
  readonly state: string;
}

interface Counted {
  readonly what: string;
  readonly state: string;
  readonly resource: Resource<KubeObject>;
  readonly isGood: (object: KubeObject) => boolean;
}

function counted<T extends KubeObject>(
  what: string,
  state: string,
  resource: Resource<T>,
  isGood: (object: T) => boolean,
): Counted {
  return { what, state, resource, isGood: (object) => isGood(object as T) };
}

const COUNTED: readonly Counted[] = [
  counted<Node>('nodes', 'Ready', Nodes, ({ status }) => isTrue(status.conditions, 'Ready')),
  counted<Pod>('pods', 'Running', Pods, ({ status }) => status.phase === 'Running'),
  counted<PersistentVolumeClaim>('claims', 'Bound', PersistentVolumeClaims, ({ status }) => status.phase === 'Bound'),
  counted<PersistentVolume>('volumes', 'Bound', PersistentVolumes, ({ status }) => status.phase === 'Bound'),
  counted<VolumeAttachment>('attachments', 'attached', VolumeAttachments, ({ status }) => status.attached === true),
];

export const COUNTED_KINDS: readonly Resource<KubeObject>[] = COUNTED.map(({ resource }) => resource);

type Conditions = readonly { readonly type: string; readonly status: string }[];
const isTrue = (conditions: Conditions | undefined, wanted: string): boolean =>
  conditions?.some(({ type, status }) => type === wanted && status === 'True') === true;

export function clusterCounts(all: (resource: Resource<KubeObject>) => readonly KubeObject[]): readonly Count[] {
  return COUNTED.map(({ what, state, resource, isGood }) => {
    const objects = all(resource);
    return { what, state, good: objects.filter(isGood).length, all: objects.length };
  });
}

/** `nodes 3/3 Ready · pods 1/2 Running · …` */
export const countsLine = (counts: readonly Count[]): string =>
  counts.map(({ what, good, all, state }) => `${what} ${good}/${all} ${state}`).join(' · ');
