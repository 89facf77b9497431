// Requests as csi-sanity sends them, with everything defaulted that a test does not care about.
import { SteppedClock } from '../../../base/virtual-clock.ts';
import { SeededRandom } from '../../../base/random.ts';
import { type CsiStatusError, isCsiError } from '../../csi-error.ts';
import type {
  AccessMode,
  ControllerPublishVolumeRequest,
  CreateVolumeRequest,
  CsiCall,
  CsiCode,
  CsiVolume,
  NodePublishVolumeRequest,
  VolumeCapability,
} from '../../driver.ts';
import type { CsiEffect } from './backend.ts';
import type { MemoryDriverConfig } from './config.ts';
import { type MemoryDriver, memoryDriver } from './memory.ts';

export const CALL: CsiCall = { signal: new AbortController().signal, deadlineMs: 10_000 };
export const GIB = 2n ** 30n;
export const STAGING = '/mnt/staging';
export const TARGET = '/mnt/target/target';

export interface Bench {
  readonly driver: MemoryDriver;
  readonly effects: CsiEffect[];
}

export function bench(config: Partial<MemoryDriverConfig> = {}): Bench {
  const effects: CsiEffect[] = [];
  const surroundings = {
    random: new SeededRandom('bench'),
    clock: new SteppedClock(Date.UTC(2026, 0, 1)),
    effects: (effect: CsiEffect) => void effects.push(effect),
  };
  return { driver: memoryDriver({ name: 'disk.csi.test', nodes: ['n1', 'n2'], ...config }, surroundings), effects };
}

export const capability = (accessMode: AccessMode = 'SINGLE_NODE_WRITER'): VolumeCapability => ({
  accessType: { case: 'mount', fsType: '', mountFlags: [] },
  accessMode,
});

export const createRequest = (changes: Partial<CreateVolumeRequest> = {}): CreateVolumeRequest => ({
  name: 'sanity',
  capacityRange: { requiredBytes: 10n * GIB, limitBytes: 0n },
  volumeCapabilities: [capability()],
  parameters: {},
  mutableParameters: {},
  secrets: {},
  ...changes,
});

export async function create(driver: MemoryDriver, changes: Partial<CreateVolumeRequest> = {}): Promise<CsiVolume> {
  return (await driver.controller.createVolume(createRequest(changes), CALL)).volume;
}

export const publishRequest = (
  volumeId: string,
  changes: Partial<ControllerPublishVolumeRequest> = {},
): ControllerPublishVolumeRequest => ({
  volumeId,
  nodeId: 'n1',
  volumeCapability: capability(),
  readonly: false,
  secrets: {},
  volumeContext: {},
  ...changes,
});

export const nodeRequest = (
  volumeId: string,
  changes: Partial<NodePublishVolumeRequest> = {},
): NodePublishVolumeRequest => ({
  volumeId,
  publishContext: {},
  stagingTargetPath: STAGING,
  targetPath: TARGET,
  volumeCapability: capability(),
  readonly: false,
  secrets: {},
  volumeContext: {},
  ...changes,
});

/** Publishes to n1 and stages there. */
export async function stage(driver: MemoryDriver, volumeId: string, mode?: AccessMode): Promise<void> {
  const volumeCapability = capability(mode);
  await driver.controller.controllerPublishVolume(publishRequest(volumeId, { volumeCapability }), CALL);
  await driver.nodeService('n1').nodeStageVolume(nodeRequest(volumeId, { volumeCapability }), CALL);
}

async function failureOf(call: Promise<unknown>): Promise<CsiStatusError | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (isCsiError(error)) return error;
    throw error;
  }
}

/** The code a call ends with. */
export async function codeOf(call: Promise<unknown>): Promise<CsiCode> {
  return (await failureOf(call))?.code ?? 'OK';
}

export async function errorOf(call: Promise<unknown>): Promise<string> {
  return (await failureOf(call))?.message ?? '';
}
