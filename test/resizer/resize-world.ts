// A server, a memory driver and a resizer in virtual time. The world plays whoever binds claims, and the kubelet.
import type { CsiCode } from '../../src/csi/driver.ts';
import { CsiStatusError } from '../../src/csi/csi-error.ts';
import type { MemoryDriverConfig } from '../../src/csi/drivers/memory/config.ts';
import { memoryDriver } from '../../src/csi/drivers/memory/memory.ts';
import { enforceDeadlines } from '../../src/csi/enforce-deadlines.ts';
import { type DriverCall, wrapDriver } from '../../src/csi/wrap-driver.ts';
import { SeededRandom } from '../../src/base/random.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { resizer } from '../../src/sidecars/resizer/resizer.ts';
import type { ResizerSettings } from '../../src/sidecars/resizer/settings.ts';
import { type ClaimParts, type VolumeParts, aClaim, aVolume } from '../../src/volume/makers.ts';
import { StorageWorld } from '../persistentvolume/storage-world.ts';

export const DRIVER = 'disk.test';
export const CLAIM = 'default/data';
const HANDLE = 'vol-1';

export interface ResizeWorldOptions {
  readonly driver?: Partial<MemoryDriverConfig>;
  readonly settings?: Partial<ResizerSettings>;
  readonly claim?: ClaimParts;
  readonly volume?: VolumeParts;
  readonly watchMs?: number;
}

export class ResizeWorld extends StorageWorld {
  /** Calls of the controller service with the second they began at. */
  readonly calls: { readonly at: number; readonly rpc: string; readonly request: DriverCall['request'] }[] = [];
  /** What the next calls fail with; the last one stays. Undefined lets a call through. */
  refusals: (CsiCode | undefined)[] = [];
  /** Ends the resizer that was launched last, as a crash does. */
  kill: () => void = () => undefined;
  /** Calls wait for this long before anything happens. */
  latencyMs = 0;
  readonly #options: ResizeWorldOptions;
  readonly #driver: ReturnType<typeof memoryDriver>;

  constructor(options: ResizeWorldOptions = {}) {
    super({ validates: false, requestMs: 1, watchMs: options.watchMs ?? 0 });
    this.#options = options;
    this.#driver = memoryDriver(
      { name: DRIVER, volumes: [{ volumeId: HANDLE, capacity: '1Gi' }], ...options.driver },
      { random: new SeededRandom('driver'), clock: this.clock },
    );
  }

  /** A claim of 1Gi bound to its volume, and the resizer; the answer is the world itself. */
  async begin(): Promise<this> {
    const { claim: parts, volume: volumeParts } = this.#options;
    const claim = aClaim({ name: 'data', modes: ['ReadWriteOnce'], volumeName: 'v', phase: 'Bound', ...parts });
    const capacity = { storage: '1Gi', ...parts?.status?.capacity };
    const made = await this.create(PersistentVolumeClaims, { ...claim, status: { ...claim.status, capacity } });
    const csi = { driver: DRIVER, volumeHandle: HANDLE };
    const owner = `data/${made.metadata.uid}`;
    await this.create(
      PersistentVolumes,
      aVolume({ name: 'v', claim: owner, phase: 'Bound', modes: ['ReadWriteOnce'], spec: { csi }, ...volumeParts }),
    );
    this.launch();
    await this.wait(50);
    return this;
  }

  launch(): void {
    const driver = wrapDriver(enforceDeadlines(this.#slow(), this.clock), (call, proceed) => {
      if (/^Controller(Expand|Modify)/.test(call.rpc)) {
        this.calls.push({ at: this.clock.monotonic() / 1000, rpc: call.rpc, request: call.request });
      }
      return proceed();
    });
    this.kill = this.start(resizer({ driver, ...(this.#options.settings && { settings: this.#options.settings }) }));
  }

  #slow() {
    return wrapDriver(this.#driver, async (call, proceed) => {
      if (!/^Controller(Expand|Modify)/.test(call.rpc)) return await proceed();
      if (this.latencyMs > 0) await this.clock.sleep(this.latencyMs);
      const code = this.refusals.length > 1 ? this.refusals.shift() : this.refusals[0];
      if (code !== undefined) throw new CsiStatusError(code, 'no');
      return await proceed();
    });
  }

  async request(storage: string, ms = 100): Promise<void> {
    const body = { spec: { resources: { requests: { storage } } } };
    await this.user.patch(PersistentVolumeClaims, CLAIM, { type: 'merge', body });
    await this.wait(ms);
  }

  async patchClaim(body: object, subresource?: 'status'): Promise<void> {
    const options = subresource === undefined ? {} : { subresource };
    await this.user.patch(PersistentVolumeClaims, CLAIM, { type: 'merge', body }, options);
    await this.wait(100);
  }

  claim(): Promise<PersistentVolumeClaim> {
    return this.user.get(PersistentVolumeClaims, CLAIM);
  }

  volume(): Promise<PersistentVolume> {
    return this.user.get(PersistentVolumes, 'v');
  }

  /** `ControllerExpandVolume 2147483648` for each call. */
  get sizes(): readonly bigint[] {
    return this.calls.flatMap(({ request }) =>
      'capacityRange' in request ? [(request.capacityRange as { requiredBytes: bigint }).requiredBytes] : [],
    );
  }

  /** What is written about the growth of the claim: `1Gi 3Gi NodeResizePending Resizing,FileSystemResizePending`. */
  async state(): Promise<string> {
    const { capacity, allocatedResources, allocatedResourceStatuses, conditions = [] } = (await this.claim()).status;
    const words = [
      capacity?.['storage'],
      allocatedResources?.['storage'],
      allocatedResourceStatuses?.['storage'],
      conditions.map(({ type }) => type).join(','),
    ];
    return words.map((word) => (word === undefined || word === '' ? '-' : word)).join(' ');
  }
}
