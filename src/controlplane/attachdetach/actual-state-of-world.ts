// Which volumes are attached to which nodes, as far as this controller knows. An attachment is certain once the attacher
// confirmed it, and uncertain after an attach or detach of unknown outcome; no entry means detached. Beside that it keeps
// what each node says it has mounted, and what each Node's `status.volumesAttached` shall say.
// All of it is memory: `restore.ts` builds it from Nodes and VolumeAttachments, except the times of detach requests.
// Upstream: kubernetes:pkg/controller/volume/attachdetach/cache/actual_state_of_world.go.
import { type DurationMs } from '../../base/clock.ts';
import { type AttachedVolume } from '../../kube/resources/node.ts';
import { attachmentName } from '../../volume/attachment-name.ts';
import { splitUniqueVolumeName } from '../../volume/volume-name.ts';
import { type Pair } from './pair.ts';
import { type VolumeSpec } from './volume-spec.ts';

export type AttachState = 'attached' | 'uncertain' | 'detached';

interface NodeEntry {
  certain: boolean;
  /** Elapsed time at which the volume was first found unwanted; undefined while it is wanted. */
  detachRequestedAt: DurationMs | undefined;
}
interface VolumeEntry {
  /** Undefined for a volume of which only the name was found on a Node. The last word on any node counts for all. */
  spec: VolumeSpec | undefined;
  devicePath: string;
  /** Never empty. */
  readonly nodes: Map<string, NodeEntry>;
}
export interface NodeReport {
  readonly node: string;
  readonly volumes: readonly AttachedVolume[];
}

export class ActualStateOfWorld {
  readonly #volumes = new Map<string, VolumeEntry>();
  /** What each node has mounted. May name volumes that are not attached as far as we know. */
  readonly #inUse = new Map<string, Set<string>>();
  /** What each Node shall list. Nodes that never had a volume are absent. */
  readonly #reports = new Map<string, Set<string>>();
  /** Nodes whose report is due. */
  readonly #due = new Set<string>();
  /** Certain attachments by the name of their VolumeAttachment. */
  readonly #attachments = new Map<string, Pair>();

  /** An entry that is there keeps its time of a detach request. */
  markAttached(pair: Pair, spec: VolumeSpec | undefined, devicePath = ''): void {
    this.#put(pair, { spec, devicePath, certain: true });
    const attachment = attachmentOf(pair);
    if (attachment !== undefined) this.#attachments.set(attachment, pair);
    this.addToReport(pair);
  }

  markUncertain(pair: Pair, spec: VolumeSpec | undefined): void {
    this.#put(pair, { spec, devicePath: '', certain: false });
    this.#dropAttachment(pair);
  }

  markDetached(pair: Pair): void {
    const entry = this.#volumes.get(pair.volume);
    if (entry?.nodes.delete(pair.node) !== true) return;
    if (entry.nodes.size === 0) this.#volumes.delete(pair.volume);
    this.#dropAttachment(pair);
    this.removeFromReport(pair);
  }

  stateOf({ volume, node }: Pair): AttachState {
    const entry = this.#volumes.get(volume)?.nodes.get(node);
    if (entry === undefined) return 'detached';
    return entry.certain ? 'attached' : 'uncertain';
  }

  specOf(volume: string): VolumeSpec | undefined {
    return this.#volumes.get(volume)?.spec;
  }

  volumes(): IterableIterator<string> {
    return this.#volumes.keys();
  }

  /** Certain and uncertain ones. */
  nodesOf(volume: string): readonly string[] {
    return [...(this.#volumes.get(volume)?.nodes.keys() ?? [])];
  }

  /** Only these keep an exclusive volume from other nodes. */
  certainNodesOf(volume: string): readonly string[] {
    return this.nodesOf(volume).filter((node) => this.stateOf({ volume, node }) === 'attached');
  }

  /** The certain attachment that a VolumeAttachment stands for. */
  pairOf(attachment: string): Pair | undefined {
    return this.#attachments.get(attachment);
  }

  certainAttachments(): IterableIterator<string> {
    return this.#attachments.keys();
  }

  /** Replaces all that was known of the node, also what was only assumed. */
  setMounted(node: string, volumes: readonly string[]): void {
    this.#inUse.set(node, new Set(volumes));
  }

  isMounted({ volume, node }: Pair): boolean {
    return this.#inUse.get(node)?.has(volume) ?? false;
  }

  /** How long ago the detach was first requested; the first request is now. */
  requestDetach({ volume, node }: Pair, now: DurationMs): DurationMs {
    const entry = this.#volumes.get(volume)?.nodes.get(node);
    if (entry === undefined) return 0;
    entry.detachRequestedAt ??= now;
    return now - entry.detachRequestedAt;
  }

  resetDetachRequest({ volume, node }: Pair): void {
    const entry = this.#volumes.get(volume)?.nodes.get(node);
    if (entry !== undefined) entry.detachRequestedAt = undefined;
  }

  addToReport({ volume, node }: Pair): void {
    if (this.stateOf({ volume, node }) === 'detached') return;
    const report = this.#reports.get(node) ?? new Set();
    if (report.has(volume)) return;
    this.#reports.set(node, report.add(volume));
    this.#due.add(node);
  }

  removeFromReport({ volume, node }: Pair): void {
    if (this.#reports.get(node)?.delete(volume) === true) this.#due.add(node);
  }

  /** Whatever the Node says now, it shall be told again. A node that never had a volume has nothing to be told. */
  requireReport(node: string): void {
    if (this.#reports.has(node)) this.#due.add(node);
  }

  /** Nodes with a report that is due. */
  nodesToReport(): readonly string[] {
    return [...this.#due];
  }

  /** What to tell a node; undefined if it knows. From here on the node counts as told. */
  takeReport(node: string): NodeReport | undefined {
    if (!this.#due.delete(node)) return undefined;
    const names = [...(this.#reports.get(node) ?? [])];
    const volumes = names.map((name) => ({ name, devicePath: this.#volumes.get(name)?.devicePath ?? '' }));
    return { node, volumes };
  }

  #put({ volume, node }: Pair, given: Omit<VolumeEntry, 'nodes'> & { readonly certain: boolean }): void {
    const { spec, devicePath, certain } = given;
    const entry = this.#volumes.get(volume) ?? { spec, devicePath, nodes: new Map<string, NodeEntry>() };
    entry.spec = spec;
    entry.devicePath = devicePath;
    this.#volumes.set(volume, entry);
    const known = entry.nodes.get(node);
    if (known !== undefined) {
      known.certain = certain;
      return;
    }
    entry.nodes.set(node, { certain, detachRequestedAt: undefined });
    // Mounted until the node says otherwise: it may have the volume in use before its next report.
    const inUse = this.#inUse.get(node) ?? new Set();
    this.#inUse.set(node, inUse.add(volume));
  }

  #dropAttachment(pair: Pair): void {
    const attachment = attachmentOf(pair);
    if (attachment !== undefined) this.#attachments.delete(attachment);
  }
}

function attachmentOf({ volume, node }: Pair): string | undefined {
  const id = splitUniqueVolumeName(volume);
  return id === undefined ? undefined : attachmentName({ ...id, node });
}
