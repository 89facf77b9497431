// Asking for a volume. Outside provisioners are told by annotations on the claim and do the rest; plugins of this
// controller make the volume and its PV here. Both run beside the sync, one at a time for a claim.
import { unreachable } from '../../base/assert.ts';
import { type Clock, SECOND_MS } from '../../base/clock.ts';
import { annotationOf, withoutAnnotation } from '../../kube/annotations.ts';
import { isApiError } from '../../kube/api-error.ts';
import { type Draft } from '../../kube/cluster.ts';
import { foundObject } from '../../kube/found-object.ts';
import { keyOf } from '../../kube/object.ts';
import { referenceTo } from '../../kube/object-reference.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import {
  type PersistentVolume,
  type PersistentVolumeSpec,
  PersistentVolumes,
} from '../../kube/resources/persistent-volume.ts';
import { type StorageClass } from '../../kube/resources/storage-class.ts';
import { type Turn } from '../../runtime/controller.ts';
import { type Lister } from '../../runtime/informer.ts';
import { type OperationExecutor } from '../../runtime/operation-executor.ts';
import { type Recorder } from '../../runtime/recorder.ts';
import {
  BOUND_BY_CONTROLLER,
  IN_TREE_DELETION_FINALIZER,
  PROVISIONED_BY,
  SELECTED_NODE,
  YES,
} from '../../volume/annotations.ts';
import { provisionedVolumeName } from '../../volume/volume-name.ts';
import { decideProvision } from './decide-reclaim.ts';
import { claimForProvisioner } from './migration-marks.ts';
import { type Profile } from './profile.ts';
import {
  EXTERNAL_PROVISIONING,
  PROVISIONING_CLEANUP_FAILED,
  PROVISIONING_FAILED,
  PROVISIONING_SUCCEEDED,
  normal,
  warning,
} from './reasons.ts';
import { type StorageCache } from './storage-cache.ts';
import { StorageWrites } from './storage-writes.ts';
import { ProvisionerUnavailableError, type VolumePlugin } from './volume-plugin.ts';

/** How often, and how far apart, a PV that was provisioned is saved. kubernetes:pkg/controller/volume/persistentvolume/pv_controller.go */
const SAVE_TRIES_MAX = 5;
const SAVE_INTERVAL_MS = 10 * SECOND_MS;

export interface ProvisioningParts {
  readonly cache: StorageCache;
  readonly classes: Lister<StorageClass>;
  readonly plugins: readonly VolumePlugin[];
  readonly operations: OperationExecutor;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly profile: Profile;
  readonly enableDynamicProvisioning: boolean;
}

interface InternalProvision {
  readonly claim: PersistentVolumeClaim;
  readonly plugin: VolumePlugin;
  readonly storageClass: StorageClass;
  readonly turn: Turn;
  readonly writes: StorageWrites;
  readonly signal: AbortSignal;
}

export class Provisioning {
  readonly #parts: ProvisioningParts;

  constructor(parts: ProvisioningParts) {
    this.#parts = parts;
  }

  /** Says what the claim waits for from now on. */
  start(claim: PersistentVolumeClaim, className: string, turn: Turn): string {
    const { cache, classes, enableDynamicProvisioning, operations, plugins, recorder } = this.#parts;
    if (!enableDynamicProvisioning) return 'a volume made by hand: dynamic provisioning is off';
    const writes = new StorageWrites(turn.cluster, cache, recorder);
    const decision = decideProvision(className, classes.get(className), plugins);
    const operation = `provision-${keyOf(claim)}[${claim.metadata.uid}]`;
    switch (decision.type) {
      case 'fail':
        writes.say(claim, decision.event);
        return decision.event.message;
      case 'external':
        operations.run(operation, 'provision', () => this.#handOver(claim, decision.provisioner, writes));
        return `a volume by ${decision.provisioner}`;
      case 'internal': {
        const { plugin, storageClass } = decision;
        operations.run(operation, 'provision', (signal) =>
          this.#provision({ claim, plugin, storageClass, turn, writes, signal }),
        );
        return `a volume by ${plugin.name}`;
      }
      default:
        return unreachable(decision);
    }
  }

  async #handOver(claim: PersistentVolumeClaim, provisioner: string, writes: StorageWrites): Promise<void> {
    const asked = await this.#ask(claim, provisioner, writes);
    writes.say(asked, normal(EXTERNAL_PROVISIONING, this.#parts.profile.externalProvisioning(provisioner)));
  }

  async #ask(claim: PersistentVolumeClaim, provisioner: string, writes: StorageWrites): Promise<PersistentVolumeClaim> {
    try {
      return await writes.claimSpec(claim, claimForProvisioner(claim, provisioner));
    } catch (error) {
      if (isApiError(error)) writes.say(claim, warning(PROVISIONING_FAILED, `Error saving claim: ${error.message}`));
      throw error;
    }
  }

  async #provision(asked: InternalProvision): Promise<void> {
    const { plugin, storageClass, writes } = asked;
    const fail = (message: string, cause?: unknown): never => {
      writes.say(asked.claim, warning(PROVISIONING_FAILED, message));
      throw cause instanceof Error ? cause : new Error(message);
    };
    if (asked.claim.spec.dataSource !== undefined) {
      fail(`plugin "${plugin.name}" is not a CSI plugin. Only CSI plugin can provision a claim with a datasource`);
    }
    const claim = await writes.claimSpec(asked.claim, claimForProvisioner(asked.claim, storageClass.provisioner));
    const volumeName = provisionedVolumeName(claim.metadata.uid);
    if ((await foundObject(asked.turn.cluster, PersistentVolumes, volumeName)) !== undefined) return;
    const { mountOptions = [] } = storageClass;
    if (plugin.supportsMountOptions !== true && mountOptions.length > 0) {
      fail(
        `Mount options are not supported by the provisioner but StorageClass "${storageClass.metadata.name}" has mount options [${mountOptions.join(' ')}]`,
      );
    }
    const node = await selectedNode(claim, asked.turn);
    if (typeof node === 'string') return fail(`Failed to get target node: ${node}`);
    const spec = await this.#make({ ...asked, claim }, volumeName, node);
    await this.#save(volumeOf({ ...asked, claim }, volumeName, spec), { ...asked, claim });
  }

  async #make(
    { claim, plugin, storageClass, writes, signal }: InternalProvision,
    volumeName: string,
    node: Node | undefined,
  ): Promise<PersistentVolumeSpec> {
    const request = { volumeName, claim, storageClass, ...(node === undefined ? {} : { node }) };
    try {
      return (await plugin.provision?.(request, signal)) ?? {};
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof ProvisionerUnavailableError) {
        writes.say(claim, warning(PROVISIONING_FAILED, `Failed to create provisioner: ${message}`));
        throw error;
      }
      await this.#releaseNode(claim, writes);
      const { name } = storageClass.metadata;
      writes.say(
        claim,
        warning(PROVISIONING_FAILED, `Failed to provision volume with StorageClass "${name}": ${message}`),
      );
      throw error;
    }
  }

  /** Tells the scheduler to choose again; if that cannot be saved, the next failure will. */
  async #releaseNode(claim: PersistentVolumeClaim, writes: StorageWrites): Promise<void> {
    try {
      await writes.claimSpec(claim, withoutAnnotation(claim, SELECTED_NODE));
    } catch (error) {
      if (!isApiError(error)) throw error;
    }
  }

  /** A volume without a PV is lost to everybody: saved several times, then deleted again. */
  async #save(volume: PersistentVolume, asked: InternalProvision): Promise<void> {
    const { claim, plugin, writes } = asked;
    const { name } = volume.metadata;
    const failure = await this.#repeat(asked, () => this.#create(volume, asked));
    if (failure === undefined) {
      const message = `Successfully provisioned volume ${name} using ${plugin.name}`;
      writes.say(claim, normal(PROVISIONING_SUCCEEDED, message));
      return;
    }
    const about = `provisioned PV object for claim ${keyOf(claim)}`;
    writes.say(claim, warning(PROVISIONING_FAILED, `Error creating ${about}: ${failure}. Deleting the volume.`));
    const left = await this.#repeat(asked, () => plugin.delete?.(volume, asked.signal) ?? Promise.resolve());
    if (left === undefined) return;
    const message = `Error cleaning provisioned volume for claim ${keyOf(claim)}: ${left}. Please delete manually.`;
    writes.say(claim, warning(PROVISIONING_CLEANUP_FAILED, message));
  }

  async #create(volume: PersistentVolume, { turn }: InternalProvision): Promise<void> {
    try {
      this.#parts.cache.storeVolume(await turn.cluster.create(PersistentVolumes, draftOf(volume)));
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
  }

  /** Returns why the last try failed. */
  async #repeat({ signal }: InternalProvision, attempt: () => Promise<void>): Promise<string | undefined> {
    let failure: string | undefined;
    for (let tries = 0; tries < SAVE_TRIES_MAX; tries++) {
      try {
        await attempt();
        return undefined;
      } catch (error) {
        failure = error instanceof Error ? error.message : String(error);
        await this.#parts.clock.sleep(SAVE_INTERVAL_MS, signal);
      }
    }
    return failure;
  }
}

/** As it will be stored, but for what only the server knows. */
function volumeOf(
  { claim, plugin, storageClass }: InternalProvision,
  name: string,
  spec: PersistentVolumeSpec,
): PersistentVolume {
  const policy = spec.persistentVolumeReclaimPolicy ?? storageClass.reclaimPolicy ?? 'Delete';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name,
      uid: '',
      resourceVersion: '',
      creationTimestamp: '',
      annotations: { [BOUND_BY_CONTROLLER]: YES, [PROVISIONED_BY]: plugin.name },
      ...(policy === 'Delete' ? { finalizers: [IN_TREE_DELETION_FINALIZER] } : {}),
    },
    spec: {
      ...spec,
      persistentVolumeReclaimPolicy: policy,
      storageClassName: storageClass.metadata.name,
      claimRef: referenceTo(claim),
    },
    status: {},
  };
}

function draftOf({ apiVersion, kind, metadata, spec }: PersistentVolume): Draft<PersistentVolume> {
  const { name, annotations = {}, finalizers = [] } = metadata;
  return { apiVersion, kind, metadata: { name, annotations, finalizers }, spec, status: {} };
}

/** The node, undefined if none was selected, or why it cannot be had. */
async function selectedNode(claim: PersistentVolumeClaim, turn: Turn): Promise<Node | undefined | string> {
  const name = annotationOf(claim, SELECTED_NODE);
  if (name === undefined) return undefined;
  try {
    return await turn.cluster.get(Nodes, name);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return `node "${name}" not found`;
    if (isApiError(error)) return error.message;
    throw error;
  }
}
