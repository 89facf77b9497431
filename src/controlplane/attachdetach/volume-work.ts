// One attach or detach from its beginning to its end in the actual state. An outcome that is not known, be it an error
// or a timeout, makes the attachment uncertain: neither attached nor free of it until a later attempt succeeds.
// Upstream: kubernetes:pkg/volume/util/operationexecutor/operation_generator.go.
import { Aborted } from '../../base/clock.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type Cluster } from '../../kube/cluster.ts';
import { type Reason } from '../../kube/reason.ts';
import { attempt } from '../../runtime/attempt.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { type ActualStateOfWorld } from './actual-state-of-world.ts';
import { type CsiAttachments, type Effort } from './csi-attachments.ts';
import { type Desired } from './desired-state-of-world.ts';
import { type Pair } from './pair.ts';
import { type Profile } from './profile.ts';
import {
  FAILED_ATTACH_VOLUME,
  STILL_IN_USE,
  SUCCESSFUL_ATTACH_VOLUME,
  attachFailed,
  attachSucceeded,
} from './reasons.ts';
import { pluginOf } from './volume-spec.ts';

export interface VolumeWorkParts {
  readonly actual: ActualStateOfWorld;
  readonly csi: CsiAttachments;
  readonly recorder: Recorder;
  readonly profile: Pick<Profile, 'failedDetachIsUncertain'>;
}

export interface DetachEffort extends Effort {
  readonly signal: AbortSignal;
  /** The node is asked whether it still has the volume in use. */
  readonly verifies: boolean;
}

/** Work that succeeds answers with the change of an object that ended it, if there was one. */
export class VolumeWork {
  readonly #parts: VolumeWorkParts;

  constructor(parts: VolumeWorkParts) {
    this.#parts = parts;
  }

  /** The pods that are told are those that wanted the volume when the work began. */
  async attach(wanted: Desired, effort: Effort): Promise<Reason | undefined> {
    const { actual, csi } = this.#parts;
    const { spec, node } = wanted;
    const { name } = spec;
    try {
      const ending = spec.csi === undefined ? undefined : await csi.attach({ ...spec.csi, name, node }, effort);
      actual.markAttached(wanted, spec);
      this.#tell(wanted, effort, ['Normal', SUCCESSFUL_ATTACH_VOLUME, attachSucceeded(name)]);
      return ending;
    } catch (error) {
      if (error instanceof Aborted) throw error;
      actual.markUncertain(wanted, spec);
      this.#tell(wanted, effort, ['Warning', FAILED_ATTACH_VOLUME, attachFailed(name, messageOf(error))]);
      throw error;
    }
  }

  /** Nobody is told when it fails. */
  async detach(pair: Pair, { verifies, signal, cluster }: DetachEffort): Promise<Reason | undefined> {
    const { actual, csi } = this.#parts;
    try {
      if (verifies) await verifySafeToDetach(pair, cluster);
      if (signal.aborted) throw new Aborted();
      const ending = pluginOf(pair.volume) === 'csi' ? await csi.detach(pair, { cluster }) : undefined;
      actual.markDetached(pair);
      return ending;
    } catch (error) {
      if (!(error instanceof Aborted)) this.#detachFailed(pair);
      throw error;
    }
  }

  #detachFailed(pair: Pair): void {
    const { actual, profile } = this.#parts;
    if (profile.failedDetachIsUncertain) actual.markUncertain(pair, actual.specOf(pair.volume));
    else actual.addToReport(pair);
  }

  #tell(
    { pods }: Desired,
    { cluster }: Effort,
    [type, reason, message]: readonly ['Normal' | 'Warning', string, string],
  ): void {
    const recorder = this.#parts.recorder.via(cluster);
    for (const pod of pods) recorder.event(pod, type, reason, message);
  }
}

/** The node as the server has it now, not as it was last heard of. One that is gone has nothing mounted. */
async function verifySafeToDetach({ volume, node }: Pair, cluster: Cluster): Promise<void> {
  const read = await attempt<Node>(() => cluster.get(Nodes, node));
  if (read.failed && read.error.reason === 'NotFound') return;
  if (read.failed) throw read.error;
  if (read.value.status.volumesInUse?.includes(volume) === true) throw new Error(STILL_IN_USE);
}
