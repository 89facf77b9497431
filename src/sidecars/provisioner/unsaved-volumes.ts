// Volumes that exist in the backend and not yet in the API. Once a volume is made its PersistentVolume is written, whatever
// it takes and although the claim may be gone: the PV is then released and deleted like any other, and nothing leaks.
// sig-storage-lib-external-provisioner:controller/volume_store.go
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster, Draft } from '../../kube/cluster.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController } from '../../runtime/controller.ts';
import type { WorkQueue } from '../../runtime/workqueue.ts';
import { PROVISIONING_SUCCEEDED, succeededMessage } from './reasons.ts';
import type { Services } from './services.ts';

/** sig-storage-lib-external-provisioner:controller/controller.go (DefaultThreadiness) */
const WORKERS = 4;

export class UnsavedVolumes {
  readonly #services: Services;
  readonly #queue: WorkQueue<string>;
  /** By name. Every name in the queue is here. */
  readonly #unsaved = new Map<string, Draft<PersistentVolume>>();

  constructor(context: ComponentContext, services: Services) {
    this.#services = services;
    const { queue } = startController({
      reconciler: { name: 'unsavedpvs', kind: 'PersistentVolume', reconcile: (name, turn) => this.#retry(name, turn) },
      triggers: [],
      workers: WORKERS,
      context,
    });
    this.#queue = queue;
  }

  /** Returns when it is saved or in line to be. */
  async save(draft: Draft<PersistentVolume>, turn: Turn): Promise<void> {
    const saved = await attempt(() => this.#create(draft, turn.cluster));
    if (!saved.failed) return;
    const name = draft.metadata.name ?? '';
    this.#services.log.write('error', `volume ${name} was not saved: ${saved.error.message}`);
    this.#unsaved.set(name, draft);
    this.#queue.add(name, { type: 'failed', attempt: 1, entry: turn.reason.entry });
  }

  async #retry(name: string, turn: Turn): Promise<Outcome> {
    const draft = this.#unsaved.get(name);
    if (draft !== undefined) await this.#create(draft, turn.cluster);
    this.#unsaved.delete(name);
    return { type: 'settled' };
  }

  async #create(draft: Draft<PersistentVolume>, cluster: Cluster): Promise<void> {
    try {
      await cluster.create(PersistentVolumes, draft);
    } catch (error) {
      // A lost answer of an earlier try: the volume is ours, for its name holds the claim's uid.
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
    const [claim] = this.#services.claims.by('uid', draft.spec?.claimRef?.uid ?? '');
    if (claim === undefined) return;
    const message = succeededMessage(draft.metadata.name ?? '');
    this.#services.recorder.via(cluster).event(claim, 'Normal', PROVISIONING_SUCCEEDED, message);
  }
}
