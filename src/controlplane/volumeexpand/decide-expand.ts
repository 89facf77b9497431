import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume } from '../../kube/resources/persistent-volume.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { annotationOf } from '../../kube/annotations.ts';
import { PRE_RESIZE_CAPACITY } from '../../volume/annotations.ts';
import { migratedDriverOf, migratedPluginOf } from '../../volume/migration.ts';

export type ExpandDecision =
  | { readonly type: 'nothing' }
  /** The claim does not have this volume, or not any more. */
  | { readonly type: 'fail'; readonly message: string }
  | { readonly type: 'wait-for-external' }
  /** The CSI driver that stands in for the plugin is named on the claim, so that its resizer takes it up. */
  | { readonly type: 'hand-over'; readonly plugin: string; readonly driver: string };

/** kubernetes:pkg/controller/volume/expand/expand_controller.go */
export function decideExpand(claim: PersistentVolumeClaim, volume: PersistentVolume): ExpandDecision {
  const { namespace = '', name, uid } = claim.metadata;
  const { claimRef } = volume.spec;
  if (claimRef?.namespace !== namespace || claimRef.uid !== uid) {
    return { type: 'fail', message: `persistent Volume is not bound to PVC being updated : ${namespace}/${name}` };
  }
  const isGrown = compareQuantities(requestOf(claim), capacityOf(claim)) > 0;
  if (!isGrown && annotationOf(volume, PRE_RESIZE_CAPACITY) === undefined) return { type: 'nothing' };
  const plugin = migratedPluginOf(volume.spec);
  const driver = plugin === undefined ? undefined : migratedDriverOf(plugin);
  if (plugin === undefined || driver === undefined) return { type: 'wait-for-external' };
  return { type: 'hand-over', plugin, driver };
}

/** Whether an update of a bound claim says anything about its size. */
export function isSizeNews(before: PersistentVolumeClaim, after: PersistentVolumeClaim): boolean {
  return (
    compareQuantities(requestOf(after), requestOf(before)) > 0 ||
    compareQuantities(capacityOf(after), capacityOf(before)) > 0
  );
}

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec.resources.requests?.['storage'] ?? '0';
const capacityOf = ({ status }: PersistentVolumeClaim): string => status.capacity?.['storage'] ?? '0';
