// What is so right now, for all checkers: objects by kind and key, the indexes they ask by, what each process and machine
// went through. Kept from facts alone; it never asks the API server.
import { type InstantMs, SECOND_MS } from '../../base/clock.ts';
import type { CsiEffect, MemoryBackend, MemoryVolume } from '../../csi/drivers/memory/backend.ts';
import { type KubeObject, type ObjectKey, type Resource, apiVersionOf, isOf, keyOf } from '../../kube/object.ts';
import { CSIDrivers } from '../../kube/resources/csi-driver.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type VolumeAttachment, VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { claimKeysOf } from '../../volume/claim-of-pod.ts';
import type { Program } from '../../worlds/settings.ts';
import type { Fault } from '../faults/fault.ts';
import type { CallFact, Fact } from './fact.ts';
import { Multimap } from './multimap.ts';

/** Who these are in every world. */
export const ATTACH_DETACH = 'attachdetach-controller';

export interface SceneParts {
  readonly backends: ReadonlyMap<string, MemoryBackend>;
  /** Undefined for the control plane and for users. */
  readonly nodeOf: (component: string) => string | undefined;
  readonly componentsOn: (node: string) => readonly string[];
  readonly componentsOf: (program: Program) => readonly string[];
}

/** The longest wait between two tries of a watch, and the request that it is for. client-go:tools/cache/reflector.go */
const CACHE_CATCHES_UP_MS = 75 * SECOND_MS;

/** Codes after which a caller knows that the work may have been done. spec: gRPC codes of the uncertain class. */
const UNCERTAIN: ReadonlySet<string> = new Set([
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'UNAVAILABLE',
  'RESOURCE_EXHAUSTED',
  'ABORTED',
]);

interface Use {
  readonly driver: string;
  readonly volumeId: string;
  readonly nodeName: string;
}

interface IndexEntry {
  readonly index: Multimap;
  readonly by: string;
  readonly value: string;
}
const under = (index: Multimap, by: string, value: string): IndexEntry => ({ index, by, value });
const textOf = ({ by, value }: IndexEntry): string => `${by} ${value}`;

export class Scene {
  now: InstantMs = 0;
  readonly #parts: SceneParts;
  readonly #objects = new Map<string, Map<ObjectKey, KubeObject>>();
  readonly #volumesByHandle = new Multimap();
  readonly #attachmentsByVolume = new Multimap();
  readonly #podsByClaim = new Multimap();
  readonly #podsByNode = new Multimap();
  /** By driver, volume and node. */
  readonly #usedSince = new Map<string, InstantMs>();
  /** When NodeStageVolume was last called, by driver, volume and node. */
  readonly #stageCalledAt = new Map<string, InstantMs>();
  /** Of which a kubelet knows that they are published, by driver, volume and node. */
  readonly #publishAnswered = new Set<string>();
  /** Uses of which the kubelet of the node found no trace when it started. */
  readonly #forgotten = new Set<string>();
  /** When a component last lost its memory. */
  readonly #startedAt = new Map<string, InstantMs>();
  /** When a Node object was last made, and how often it was. */
  readonly #nodeMadeAt = new Map<string, { readonly at: InstantMs; readonly times: number }>();
  readonly #forcedAt = new Map<string, InstantMs>();
  readonly #active = new Set<Fault>();
  /** Calls under way, and whether the backend did something in them. */
  readonly #calls = new Map<number, { readonly call: CallFact; effective: boolean }>();
  /** Work that was done and answered with a final error: the caller believes that nothing is there. */
  readonly #hidden = new Set<string>();

  /** Nodes whose kubelets did not hear of changes, with the volumes in use before. */
  readonly #cutOffs = new Map<string, { readonly inUse: readonly string[]; until: InstantMs }>();

  constructor(parts: SceneParts) {
    this.#parts = parts;
  }

  observe(fact: Fact): void {
    this.now = fact.at;
    switch (fact.type) {
      case 'write':
        return this.#write(fact.before, fact.after);
      case 'effect':
        return this.#effect(fact.effect);
      case 'call-begins':
        return this.#callBegins(fact);
      case 'call-ends':
        return this.#callEnds(fact);
      case 'fault-begins':
        this.#active.add(fact.fault);
        this.#cutOff(fact.fault);
        return this.#forgets(fact.fault);
      case 'fault-ends':
        this.#active.delete(fact.fault);
        this.#backAgain(fact.fault);
        return this.#forgets(fact.fault);
      default:
        if (fact.entry.verb === 'force-detaches') this.#forced(fact.entry.key, fact.entry.detail ?? '');
        return undefined;
    }
  }

  // ---- objects

  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey): T | undefined {
    const object = this.#shelf(resource).get(key);
    return object !== undefined && isOf(resource, object) ? object : undefined;
  }

  *all<T extends KubeObject>(resource: Resource<T>): IterableIterator<T> {
    for (const object of this.#shelf(resource).values()) if (isOf(resource, object)) yield object;
  }

  volumeBehind(driver: string, handle: string): PersistentVolume | undefined {
    return this.get(PersistentVolumes, this.#volumesByHandle.get(`${driver} ${handle}`)[0] ?? '');
  }

  /** In the order in which they were made. */
  attachmentsOf(volumeName: string): readonly VolumeAttachment[] {
    return this.#attachmentsByVolume.get(volumeName).flatMap((key) => this.get(VolumeAttachments, key) ?? []);
  }

  podsUsing(claim: ObjectKey): readonly Pod[] {
    return this.#podsByClaim.get(claim).flatMap((key) => this.get(Pods, key) ?? []);
  }

  podsOn(node: string): readonly Pod[] {
    return this.#podsByNode.get(node).flatMap((key) => this.get(Pods, key) ?? []);
  }

  node(name: string): Node | undefined {
    return this.get(Nodes, name);
  }

  needsAttach(driver: string): boolean {
    return this.get(CSIDrivers, driver)?.spec.attachRequired !== false;
  }

  /** What the cache of a kubelet that does not hear of changes, or has not heard yet, may list; nothing for others. */
  inUseWhenCutOff(node: string): readonly string[] {
    const cutOff = this.#cutOffs.get(node);
    return cutOff === undefined || cutOff.until < this.now ? [] : cutOff.inUse;
  }

  // ---- disks

  *disks(): IterableIterator<{ readonly driver: string; readonly volume: MemoryVolume }> {
    for (const [driver, backend] of this.#parts.backends)
      for (const volume of backend.volumes()) yield { driver, volume };
  }

  disk(driver: string, volumeId: string): MemoryVolume | undefined {
    return this.#parts.backends.get(driver)?.volume(volumeId);
  }

  nodeIdOf(driver: string, node: string): string {
    return this.#parts.backends.get(driver)?.nodeIdOf(node) ?? node;
  }

  /** A use of the volume on this node that its kubelet was told does not exist. */
  isHidden(driver: string, volumeId: string, node: string): boolean {
    return this.#hidden.has(`${driver} ${volumeId} ${node}`);
  }

  /** A node on which such a use of the volume is. */
  hiddenOn(driver: string, volumeId: string): string | undefined {
    const before = `${driver} ${volumeId} `;
    return [...this.#hidden].find((key) => key.startsWith(before) && key !== before)?.slice(before.length);
  }

  /** CreateVolume made it, and said in the end that it failed. */
  isHiddenVolume(driver: string, volumeId: string): boolean {
    return this.#hidden.has(`${driver} ${volumeId} `);
  }

  // ---- processes and machines

  nodeOf(component: string): string | undefined {
    return this.#parts.nodeOf(component);
  }

  /** When the component lost its memory for the last time; undefined if it never did. */
  startedAt(component: string): InstantMs | undefined {
    return this.#startedAt.get(component);
  }

  /** When the kubelet of a node lost its memory for the last time. */
  kubeletStartedAt(node: string): InstantMs | undefined {
    return this.#latest(this.#parts.componentsOn(node).map((name) => this.#startedAt.get(name)));
  }

  /** Since when a volume is used on a node; a crash of the machine leaves traces of the use, an unstage does not. */
  usedSince(driver: string, volumeId: string, node: string): InstantMs | undefined {
    return this.#usedSince.get(`${driver} ${volumeId} ${node}`);
  }

  /**
   * The volume is used on the node and its kubelet does not know: it started when there was no directory of a pod for it.
   * kubernetes:pkg/kubelet/volumemanager/reconciler/reconstruct_common.go getVolumesFromPodDir
   */
  isForgotten(driver: string, volumeId: string, node: string): boolean {
    return this.#forgotten.has(`${driver} ${volumeId} ${node}`);
  }

  /** When the Node object was made for the last time. */
  nodeMadeAt(node: string): InstantMs {
    return this.#nodeMadeAt.get(node)?.at ?? 0;
  }

  /** Somebody deleted the Node, and its kubelet registered again. */
  wasMadeAnew(node: string): boolean {
    return (this.#nodeMadeAt.get(node)?.times ?? 0) > 1;
  }

  /** When the attach-detach controller said that it detaches this volume from this node by force. */
  forcedAt(volume: string, node: string): InstantMs | undefined {
    return this.#forcedAt.get(`${volume} ${node}`);
  }

  faults(): Iterable<Fault> {
    return this.#active;
  }

  /** Its processes run and reach their storage: what is mounted there can be written to. */
  canWrite(node: string): boolean {
    for (const fault of this.#active) {
      if (!('node' in fault) || fault.node !== node) continue;
      if (fault.type === 'node-crash' || fault.type === 'node-freeze') return false;
      if (fault.type === 'partition' && fault.from !== 'api') return false;
    }
    return true;
  }

  #latest(instants: readonly (InstantMs | undefined)[]): InstantMs | undefined {
    const known = instants.filter((at) => at !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  }

  #shelf(resource: {
    readonly kind: string;
    readonly group: string;
    readonly version: string;
  }): Map<ObjectKey, KubeObject> {
    return this.#shelfOf(`${apiVersionOf(resource)} ${resource.kind}`);
  }

  #shelfOf(name: string): Map<ObjectKey, KubeObject> {
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
    const shelf = new Map<ObjectKey, KubeObject>();
    this.#objects.set(name, shelf);
    return shelf;
  }

  #write(before: KubeObject | undefined, after: KubeObject | undefined): void {
    const object = after ?? before;
    if (object === undefined || object.kind === 'Event') return;
    const shelf = this.#shelfOf(`${object.apiVersion} ${object.kind}`);
    const key = keyOf(object);
    if (after === undefined) shelf.delete(key);
    else shelf.set(key, after);
    const kept = new Set(after === undefined ? [] : this.#entriesOf(after).map(textOf));
    for (const entry of before === undefined ? [] : this.#entriesOf(before)) {
      if (!kept.has(textOf(entry))) entry.index.drop(entry.value, key);
    }
    for (const { index, value } of after === undefined ? [] : this.#entriesOf(after)) index.add(value, key);
    if (before !== undefined || !isOf(Nodes, object)) return;
    const times = (this.#nodeMadeAt.get(object.metadata.name)?.times ?? 0) + 1;
    this.#nodeMadeAt.set(object.metadata.name, { at: this.now, times });
  }

  #entriesOf(object: KubeObject): readonly IndexEntry[] {
    if (isOf(PersistentVolumes, object)) {
      const { csi } = object.spec;
      return csi === undefined ? [] : [under(this.#volumesByHandle, 'handle', `${csi.driver} ${csi.volumeHandle}`)];
    }
    if (isOf(VolumeAttachments, object)) {
      return [under(this.#attachmentsByVolume, 'volume', object.spec.source.persistentVolumeName ?? '')];
    }
    if (!isOf(Pods, object)) return [];
    const claims = claimKeysOf(object).map((claim) => under(this.#podsByClaim, 'claim', claim));
    return [...claims, under(this.#podsByNode, 'node', object.spec.nodeName ?? '')];
  }

  #effect({ driver, call, volumeId, nodeName = '' }: CsiEffect): void {
    for (const each of this.#calls.values()) {
      const isIt = each.call.driver === driver && each.call.rpc === call && (each.call.nodeName ?? '') === nodeName;
      if (isIt && (each.call.volumeId === volumeId || call === 'CreateVolume')) each.effective = true;
    }
    this.#use(call, { driver, volumeId, nodeName });
  }

  #use(call: string, { driver, volumeId, nodeName }: Use): void {
    const use = `${driver} ${volumeId} ${nodeName}`;
    if (call === 'NodeUnstageVolume') {
      this.#usedSince.delete(use);
      this.#forgotten.delete(use);
    }
    if (call === 'NodeUnstageVolume' || call === 'NodeStageVolume') this.#hidden.delete(use);
    if (call !== 'NodeStageVolume' && call !== 'NodePublishVolume') return;
    this.#usedSince.set(use, this.#usedSince.get(use) ?? this.now);
    // The driver finishes what a kubelet began that is gone by now.
    const isOrphan = (this.kubeletStartedAt(nodeName) ?? -1) >= (this.#stageCalledAt.get(use) ?? 0);
    if (call === 'NodeStageVolume' && isOrphan) this.#forgotten.add(use);
    else this.#forgotten.delete(use);
  }

  #callBegins(fact: CallFact & { readonly at: InstantMs }): void {
    const { id, rpc, driver, volumeId, nodeName = '', at } = fact;
    this.#calls.set(id, { call: fact, effective: false });
    if (rpc === 'NodeStageVolume') this.#stageCalledAt.set(`${driver} ${volumeId} ${nodeName}`, at);
  }

  #callEnds({ id, code = 'OK' }: CallFact): void {
    const begun = this.#calls.get(id);
    this.#calls.delete(id);
    if (begun === undefined) return;
    const { driver, rpc, volumeId, nodeName = '' } = begun.call;
    if (rpc === 'NodePublishVolume' && code === 'OK') this.#publishAnswered.add(`${driver} ${volumeId} ${nodeName}`);
    if (rpc === 'NodeUnpublishVolume') this.#publishAnswered.delete(`${driver} ${volumeId} ${nodeName}`);
    if (rpc === 'CreateVolume') this.#creationEnds(driver, volumeId, code);
    else if (begun.effective && code !== 'OK' && !UNCERTAIN.has(code))
      this.#hidden.add(`${driver} ${volumeId} ${nodeName}`);
  }

  /** A final error hides the volume whichever call made it: an earlier one may have been given up on and finished since. */
  #creationEnds(driver: string, name: string, code: string): void {
    const made = this.#parts.backends.get(driver)?.volumeNamed(name)?.volumeId;
    if (made === undefined) return;
    if (code === 'OK') this.#hidden.delete(`${driver} ${made} `);
    else if (!UNCERTAIN.has(code)) this.#hidden.add(`${driver} ${made} `);
  }

  #cutOff(fault: Fault): void {
    const name = this.#cutNode(fault);
    if (name === undefined || this.inUseWhenCutOff(name).length > 0) return;
    this.#cutOffs.set(name, { inUse: this.node(name)?.status.volumesInUse ?? [], until: Number.POSITIVE_INFINITY });
  }

  #backAgain(fault: Fault): void {
    const cutOff = this.#cutOffs.get(this.#cutNode(fault) ?? '');
    if (cutOff !== undefined) cutOff.until = this.now + CACHE_CATCHES_UP_MS;
  }

  /** The node whose kubelet may hear of changes late because of the fault. */
  #cutNode(fault: Fault): string | undefined {
    if (fault.type === 'partition') return fault.from === 'storage' ? undefined : fault.node;
    if (fault.type === 'node-freeze') return fault.node;
    return 'actor' in fault ? this.#parts.nodeOf(fault.actor) : undefined;
  }

  #forgets(fault: Fault): void {
    const losers = this.#losers(fault);
    for (const component of losers) this.#startedAt.set(component, this.now);
    const nodes = new Set(losers.flatMap((component) => this.#parts.nodeOf(component) ?? []));
    for (const node of nodes) this.#looksForVolumes(node);
  }

  /**
   * A kubelet that starts finds volumes by the directories of pods: what is only staged has none, and a device has one only
   * when its publication was answered.
   */
  #looksForVolumes(node: string): void {
    for (const { driver, volume } of this.disks()) {
      const use = `${driver} ${volume.volumeId} ${node}`;
      const isFound = volume.targets.some(
        ({ nodeName, volumeCapability }) =>
          nodeName === node && (volumeCapability.accessType.case !== 'block' || this.#publishAnswered.has(use)),
      );
      if (this.#usedSince.has(use) && !isFound) this.#forgotten.add(use);
    }
  }

  /** Components that lose their memory by the fault. */
  #losers(fault: Fault): readonly string[] {
    switch (fault.type) {
      case 'node-crash':
      case 'kubelet-restart':
        return this.#parts.componentsOn(fault.node);
      case 'component-restart':
      case 'component-crash':
        return [fault.component];
      case 'leader-change':
        return this.#parts.componentsOf(fault.program);
      default:
        return [];
    }
  }

  /** `timeout: kubernetes.io/csi/…` on a node. */
  #forced(node: string, detail: string): void {
    this.#forcedAt.set(`${detail.slice(detail.indexOf(': ') + 2)} ${node}`, this.now);
  }
}
