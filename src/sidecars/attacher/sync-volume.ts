// A PersistentVolume that is being deleted is let go when no attachment names it. external-attacher:pkg/controller/csi_handler.go
import { hasFinalizer } from '../../kube/finalizers.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Outcome, type Turn } from '../../runtime/controller.ts';
import { removeVolumeFinalizer } from './attachment-patch.ts';
import { type Services } from './services.ts';

type VolumeServices = Pick<Services, 'attachments' | 'volumes' | 'finalizer'>;

/** Attachments of any driver count, attached or not. */
function mayLetGo(volume: PersistentVolume, { attachments, finalizer }: Omit<VolumeServices, 'volumes'>): boolean {
  if (volume.metadata.deletionTimestamp === undefined || !hasFinalizer(volume, finalizer)) return false;
  return attachments.by('volume', volume.metadata.name).next().done === true;
}

/** Only our finalizer goes. If the list changed meanwhile the server refuses, and the queue tries again. */
export async function syncVolume(name: string, services: VolumeServices, turn: Turn): Promise<Outcome> {
  const volume = services.volumes.get(name);
  if (volume !== undefined && mayLetGo(volume, services)) {
    const patch = removeVolumeFinalizer(volume.metadata.finalizers ?? [], services.finalizer);
    await turn.cluster.patch(PersistentVolumes, name, patch);
  }
  return { type: 'settled' };
}
