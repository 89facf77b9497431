// The driver of the recordings: every call may be repeated and succeeds unless it is told otherwise, and every call is
// written down. Capabilities can be switched, faults are set per method and volume.
import { type Clock, SECOND_MS } from '../../src/base/clock.ts';
import { CsiStatusError } from '../../src/csi/csi-error.ts';
import type { CsiCode, CsiDriver, CsiNode, NodeCapability, NodeGetVolumeStatsResponse } from '../../src/csi/driver.ts';
import { enforceDeadlines } from '../../src/csi/enforce-deadlines.ts';
import { type DriverCall, type Proceed, wrapDriver } from '../../src/csi/wrap-driver.ts';
import { withMounts } from '../../src/kubelet/mounter/memory/driver-mounts.ts';
import type { Mounter } from '../../src/kubelet/mounter/mounter.ts';

export interface CallRecord {
  /** Seconds of the bench's time. */
  readonly at: number;
  readonly driver: string;
  readonly node: string;
  readonly method: string;
  readonly volume: string;
  readonly request: object;
  readonly deadlineMs: number;
  /** Filled in when the call ends. */
  code: string;
  endedAt: number | undefined;
}

export interface CallFault {
  readonly method: string;
  readonly volumePrefix?: string;
  readonly code?: CsiCode;
  readonly message?: string;
  readonly mode?: 'do' | 'do-then-hang';
  readonly hangSeconds?: number;
  readonly times?: number;
}

export interface ScriptedDriverOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly capabilities: readonly NodeCapability[];
  readonly maxVolumesPerNode?: number;
  readonly topology?: Readonly<Record<string, string>>;
  mounterOf(node: string): Mounter;
  /** Milliseconds of the recording's zero. */
  readonly zero: () => number;
  readonly calls: CallRecord[];
  /** How long each method takes. */
  readonly latencyMs?: Readonly<Record<string, number>>;
  readonly sourceOf?: (volumeId: string, nodeName: string) => string;
}

const STATS: NodeGetVolumeStatsResponse = {
  usage: [
    { unit: 'BYTES', total: 1_000_000n, used: 400_000n, available: 590_000n },
    { unit: 'INODES', total: 1000n, used: 40n, available: 950n },
  ],
};

export class ScriptedDriver {
  readonly driver: CsiDriver;
  readonly #options: ScriptedDriverOptions;
  readonly #faults: { fault: CallFault; used: number }[] = [];
  readonly #stats: { prefix: string; answer: NodeGetVolumeStatsResponse }[] = [];
  maxVolumesPerNode: number;

  constructor(options: ScriptedDriverOptions) {
    this.#options = options;
    this.maxVolumesPerNode = options.maxVolumesPerNode ?? 0;
    const effects = withMounts(this.#bare(), options);
    const faulty = wrapDriver(effects, (call, proceed) => this.#disturb(call, proceed));
    this.driver = wrapDriver(enforceDeadlines(faulty, options.clock), (call, proceed) => this.#record(call, proceed));
  }

  setFault(fault: CallFault): void {
    this.#faults.push({ fault, used: 0 });
  }

  clearFaults(): void {
    this.#faults.length = 0;
  }

  setStats(prefix: string, answer: NodeGetVolumeStatsResponse): void {
    this.#stats.unshift({ prefix, answer });
  }

  #bare(): CsiDriver {
    const { name } = this.#options;
    const refuse = (): never => {
      throw new CsiStatusError('UNIMPLEMENTED', 'no controller service');
    };
    return {
      name,
      identity: {
        getPluginInfo: async () => ({ name, vendorVersion: '1', manifest: {} }),
        getPluginCapabilities: async () => ({ capabilities: [] }),
        probe: async () => ({ ready: true }),
      },
      controller: new Proxy({} as CsiDriver['controller'], { get: () => refuse }),
      nodeService: (node) => this.#nodeService(node),
    };
  }

  #nodeService(node: string): CsiNode {
    const { capabilities, topology } = this.#options;
    const done = async (): Promise<Record<string, never>> => ({});
    return {
      nodeGetCapabilities: async () => ({ capabilities: capabilities.map((type) => ({ case: 'rpc', type })) }),
      nodeGetInfo: async () => ({
        nodeId: node,
        maxVolumesPerNode: BigInt(this.maxVolumesPerNode),
        ...(topology === undefined ? {} : { accessibleTopology: { segments: topology } }),
      }),
      nodeStageVolume: done,
      nodeUnstageVolume: done,
      nodePublishVolume: done,
      nodeUnpublishVolume: done,
      nodeExpandVolume: async ({ capacityRange }) => ({ capacityBytes: capacityRange?.requiredBytes ?? 0n }),
      nodeGetVolumeStats: async ({ volumeId }) => this.#statsOf(volumeId),
    };
  }

  #statsOf(volumeId: string): NodeGetVolumeStatsResponse {
    const special = this.#stats.find(({ prefix }) => volumeId.startsWith(prefix));
    if (special !== undefined) return special.answer;
    const hasCondition = this.#options.capabilities.includes('VOLUME_CONDITION');
    return { ...STATS, ...(hasCondition ? { volumeCondition: { abnormal: false, message: 'fine' } } : {}) };
  }

  async #disturb<R>(call: DriverCall, proceed: Proceed<R>): Promise<R> {
    const { clock, latencyMs } = this.#options;
    const delay = latencyMs?.[call.rpc] ?? 0;
    if (delay > 0) await clock.sleep(delay, call.options.signal);
    const volume = volumeOf(call);
    const match = this.#faults.find(
      ({ fault, used }) =>
        fault.method === call.rpc &&
        volume.startsWith(fault.volumePrefix ?? '') &&
        (fault.times === undefined || used < fault.times),
    );
    if (match === undefined) return proceed();
    match.used++;
    return this.#play(match.fault, call, proceed);
  }

  async #play<R>(fault: CallFault, call: DriverCall, proceed: Proceed<R>): Promise<R> {
    const { clock } = this.#options;
    const givenUp = AbortSignal.any([call.options.signal]);
    const hang = async (): Promise<void> => {
      const waitMs = (fault.hangSeconds ?? 0) * SECOND_MS;
      // A call that its caller gives up before the hang is over does nothing.
      const isLost = waitMs > call.options.deadlineMs;
      await clock.sleep(isLost ? 10 * call.options.deadlineMs : waitMs, givenUp);
    };
    if (fault.mode === 'do-then-hang') {
      const answer = await proceed();
      await hang();
      return answer;
    }
    if (fault.hangSeconds !== undefined) await hang();
    if (fault.mode === 'do') await proceed();
    if (fault.code === undefined) return proceed();
    throw new CsiStatusError(fault.code, fault.message ?? 'boom');
  }

  async #record<R>(call: DriverCall, proceed: Proceed<R>): Promise<R> {
    const { calls, clock, zero } = this.#options;
    const now = (): number => (clock.now() - zero()) / SECOND_MS;
    const record: CallRecord = {
      at: now(),
      driver: call.driver,
      node: call.nodeName ?? '',
      method: call.rpc,
      volume: volumeOf(call),
      request: call.request,
      deadlineMs: call.options.deadlineMs,
      code: '',
      endedAt: undefined,
    };
    calls.push(record);
    try {
      const answer = await proceed();
      record.code = 'OK';
      return answer;
    } catch (error) {
      record.code = error instanceof CsiStatusError ? error.code : String(error);
      throw error;
    } finally {
      record.endedAt = now();
    }
  }
}

const volumeOf = ({ request }: DriverCall): string => (request as { readonly volumeId?: string }).volumeId ?? '';
