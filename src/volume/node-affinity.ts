import { type NodeIdentity, matchesNodeSelector } from '../kube/node-selector.ts';
import { type PersistentVolume } from '../kube/resources/persistent-volume.ts';

/** Whether a volume can be reached from a node. A volume without affinity can be reached from everywhere. */
export function nodeAffinityAdmits(volume: Pick<PersistentVolume, 'spec'>, node: NodeIdentity): boolean {
  const required = volume.spec.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, node);
}
