// Growing a volume on its node. kubernetes:pkg/volume/csi/expander.go
import { CsiStatusError } from '../../csi/csi-error.ts';
import type { CsiCode, StringMap } from '../../csi/driver.ts';
import { bytesOf } from '../../kube/quantity.ts';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { messageOf } from '../../runtime/supervise.ts';
import type { CsiVolumeId } from '../../volume/volume-name.ts';
import { readCredentials } from './credentials.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';
import { mountAccess } from './mount-device.ts';
import { NodeClient } from './node-client.ts';
import { failureOf } from './volume-failure.ts';

export type ExpandFailureKind =
  /** The driver was not reached: nothing is known and nothing is written down. */
  | 'transient'
  /** The driver has no node step. */
  | 'unsupported'
  /** Not while the volume is in use. */
  | 'in-use'
  /** Never, with these arguments. */
  | 'infeasible'
  | 'final';

export class ExpandFailure extends Error {
  override readonly name = 'ExpandFailure';
  readonly kind: ExpandFailureKind;

  constructor(message: string, kind: ExpandFailureKind) {
    super(message);
    this.kind = kind;
  }
}

/** As coded upstream, a code that leaves the outcome open counts as final here: it is wrapped before it is judged. */
export function classifyResize(code: CsiCode): 'in-use' | 'infeasible' | 'final' {
  switch (code) {
    case 'FAILED_PRECONDITION':
      return 'in-use';
    case 'INVALID_ARGUMENT':
    case 'OUT_OF_RANGE':
    case 'NOT_FOUND':
      return 'infeasible';
    default:
      return 'final';
  }
}

export interface VolumeToExpand {
  readonly id: CsiVolumeId;
  readonly spec: PersistentVolumeSpec;
  readonly volumePath: string;
  readonly stagingTargetPath: string;
  /** A quantity. */
  readonly newSize: string;
}

/** Throws an ExpandFailure. */
export async function nodeExpand(services: CsiServices, volume: VolumeToExpand, turn: OperationTurn): Promise<void> {
  const client = expandClient(volume.id.driver, services, turn);
  const supported = await client.supports('EXPAND_VOLUME').catch((error: unknown) => {
    throw failed(`Expander.NodeExpand failed to check if node supports expansion : ${textOf(error)}`);
  });
  if (!supported) {
    const text = `NodeExpand is not supported by the CSI driver ${volume.id.driver}`;
    throw new ExpandFailure(text, 'unsupported');
  }
  const secrets = await expandSecrets(volume.spec, turn);
  try {
    await expand(client, volume, secrets);
  } catch (error) {
    throw expandFailureOf(error);
  }
}

async function expand(client: NodeClient, volume: VolumeToExpand, secrets: StringMap): Promise<void> {
  const { id, spec, volumePath, stagingTargetPath, newSize } = volume;
  const accessMode = await client.accessModeOf(spec.accessModes);
  const accessType = spec.volumeMode === 'Block' ? { case: 'block' as const } : mountAccess(spec, undefined);
  await client.call((node) => node.nodeExpandVolume, {
    volumeId: id.handle,
    volumePath,
    capacityRange: { requiredBytes: BigInt(bytesOf(newSize)), limitBytes: 0n },
    stagingTargetPath,
    volumeCapability: { accessType, accessMode },
    secrets,
  });
}

function expandFailureOf(error: unknown): ExpandFailure {
  const kind = error instanceof CsiStatusError ? classifyResize(error.code) : 'final';
  // Upstream writes the infeasible form without a colon.
  const colon = kind === 'infeasible' ? '' : ': ';
  return new ExpandFailure(`Expander.NodeExpand failed to expand the volume ${colon}${textOf(error)}`, kind);
}

function expandClient(driver: string, services: CsiServices, turn: OperationTurn): NodeClient {
  try {
    return new NodeClient(driver, services, turn);
  } catch (error) {
    throw new ExpandFailure(textOf(error), 'transient');
  }
}

async function expandSecrets({ csi }: PersistentVolumeSpec, turn: OperationTurn): Promise<StringMap> {
  const reference = csi?.nodeExpandSecretRef;
  try {
    return await readCredentials(turn.cluster, reference);
  } catch (error) {
    const name = `${reference?.namespace ?? ''}/${reference?.name ?? ''}`;
    throw failed(`expander.NodeExpand failed to get NodeExpandSecretRef ${name}: ${textOf(error)}`);
  }
}

const failed = (message: string): ExpandFailure => new ExpandFailure(message, 'final');

/** Lets bugs and the end of the process through. */
function textOf(error: unknown): string {
  failureOf(error);
  return messageOf(error);
}
