// Writes how much each class could still take in each place, for the scheduler. The driver is asked when a class or a
// place comes, after volumes come or go, and every minute, because the backend may be used by others.
// external-provisioner:pkg/capacity/capacity.go. Unlike there the objects have no owner.
import { isCsiError } from '../../csi/csi-error.ts';
import type { GetCapacityResponse, StringMap, Topology } from '../../csi/driver.ts';
import { isApiError } from '../../kube/api-error.ts';
import { keyOf } from '../../kube/object.ts';
import { bytesOf, formatBytes } from '../../kube/quantity.ts';
import { type CSINode, CSINodes } from '../../kube/resources/csi-node.ts';
import { CSIStorageCapacities, type CSIStorageCapacity } from '../../kube/resources/csi-storage-capacity.ts';
import { Nodes } from '../../kube/resources/node.ts';
import type { VolumeNodeAffinity } from '../../kube/resources/persistent-volume-source.ts';
import { type StorageClass, StorageClasses } from '../../kube/resources/storage-class.ts';
import type { Reason } from '../../kube/reason.ts';
import { attempt } from '../../runtime/attempt.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Change, Informer } from '../../runtime/informer.ts';
import type { InformerFactory } from '../../runtime/informer-factory.ts';
import { supervise } from '../../runtime/supervise.ts';
import type { WorkQueue } from '../../runtime/workqueue.ts';
import {
  type CapacityItem,
  isCapacityClass,
  itemKey,
  keyOfCapacity,
  segmentsOf,
  segmentsOfAffinity,
} from './capacity-items.ts';
import { repeatInBackground } from './repeat-in-background.ts';
import { type Services, csiCall } from './services.ts';
import { type TopologyTerm, compareTerms, toTopology } from './topology-term.ts';

const DRIVER_LABEL = 'csi.storage.k8s.io/drivername';
const MANAGED_BY_LABEL = 'csi.storage.k8s.io/managed-by';
const MANAGED_BY = 'external-provisioner';
/** The key under which places are worked out anew; no item has it. */
const PLACES = 'places';

export class CapacityProducer {
  readonly #services: Services;
  readonly #csiNodes: Informer<CSINode>;
  readonly #nodeLabels: (name: string) => StringMap | undefined;
  readonly #capacities: Informer<CSIStorageCapacity>;
  readonly #queue: WorkQueue<string>;
  /** What should exist, by key. */
  #items = new Map<string, CapacityItem>();

  constructor(context: ComponentContext, services: Services, informers: InformerFactory) {
    this.#services = services;
    const labelSelector = `${DRIVER_LABEL}=${services.driver.name},${MANAGED_BY_LABEL}=${MANAGED_BY}`;
    const { namespace } = services.settings;
    const classes = informers.of(StorageClasses);
    const nodes = informers.of(Nodes);
    this.#csiNodes = informers.of(CSINodes);
    this.#nodeLabels = (name) => labelsOf(nodes.get(name));
    const byItem = { item: (object: CSIStorageCapacity) => [keyOfCapacity(object)] };
    this.#capacities = informers.of(CSIStorageCapacities, byItem, { namespace, labelSelector });
    const { queue } = startController({
      reconciler: {
        name: 'capacity',
        kind: 'CSIStorageCapacity',
        reconcile: (key, turn) => this.#reconcile(key, turn),
      },
      triggers: [
        trigger(classes, (change) => this.#keysOfClass(change)),
        trigger(nodes, (change) => (areLabelsSame(change) ? [] : [PLACES])),
        trigger(this.#csiNodes, () => [PLACES]),
        trigger(this.#capacities, (change) => this.#keysOfObject(change)),
      ],
      workers: services.settings.capacityThreads,
      context,
      queueLimits: queueLimits(services),
      waitFor: [informers],
    });
    this.#queue = queue;
    queue.add(PLACES, { type: 'started', entry: null });
    const { capacityPollIntervalMs } = services.settings;
    supervise(
      'capacity poll',
      repeatInBackground(context, capacityPollIntervalMs, () => this.#poll()),
      context.log,
    );
  }

  /** Something was made or removed: in these places, or else of this class. */
  refresh(changed: { readonly className?: string; readonly affinity?: VolumeNodeAffinity }, reason: Reason): void {
    const segments = segmentsOfAffinity(changed.affinity);
    for (const [key, item] of this.#items) {
      const isConcerned =
        segments.length > 0
          ? segments.some((segment) => compareTerms(segment, item.segment) === 0)
          : item.className === changed.className;
      if (isConcerned) this.#queue.add(key, reason);
    }
  }

  #poll(): void {
    for (const key of this.#items.keys()) this.#queue.add(key, { type: 'resync', entry: null });
  }

  #keysOfClass({ object, type }: Change<StorageClass>): readonly string[] {
    const { driver, settings } = this.#services;
    if (!isCapacityClass(object, driver.name, settings.capacityForImmediateBinding)) return [];
    const className = object.metadata.name;
    const known = [...this.#items].flatMap(([key, item]) => (item.className === className ? [key] : []));
    return type === 'deleted' || known.length === 0 ? [PLACES] : known;
  }

  /** Our own writes come back here and ask for nothing; an object too many or too few does. */
  #keysOfObject({ type, object }: Change<CSIStorageCapacity>): readonly string[] {
    const key = keyOfCapacity(object);
    const isWanted = this.#items.has(key);
    const isOnly = [...this.#capacities.by('item', key)].length === 1;
    return (type === 'deleted' ? !isWanted : isWanted && isOnly) ? [] : [key];
  }

  async #reconcile(key: string, turn: Turn): Promise<Outcome> {
    if (key === PLACES) this.#syncPlaces(turn);
    else await this.#syncItem(key, turn);
    return { type: 'settled' };
  }

  #syncPlaces(turn: Turn): void {
    const { driver, classes, settings } = this.#services;
    const segments: readonly TopologyTerm[] = segmentsOf(this.#csiNodes.all(), driver.name, this.#nodeLabels);
    const wanted = new Map<string, CapacityItem>();
    for (const storageClass of classes.all()) {
      if (!isCapacityClass(storageClass, driver.name, settings.capacityForImmediateBinding)) continue;
      for (const segment of segments) {
        const item = { className: storageClass.metadata.name, segment };
        wanted.set(itemKey(item), item);
      }
    }
    const before = this.#items;
    this.#items = wanted;
    const changed = [...wanted.keys(), ...before.keys()].filter((key) => wanted.has(key) !== before.has(key));
    const obsolete = [...this.#capacities.all()].map(keyOfCapacity).filter((key) => !wanted.has(key));
    for (const key of [...changed, ...obsolete]) this.#queue.add(key, turn.reason);
  }

  async #syncItem(key: string, turn: Turn): Promise<void> {
    const item = this.#items.get(key);
    const storageClass = item === undefined ? undefined : this.#services.classes.get(item.className);
    const [existing, ...others] = this.#capacities.by('item', key);
    if (item === undefined || storageClass === undefined)
      return this.#remove(existing === undefined ? [] : [existing, ...others], turn);
    await this.#remove(others, turn);
    const answer = await this.#ask(storageClass, toTopology(item.segment), turn);
    if (existing === undefined) await this.#create(item, answer, turn);
    else if (!isSame(existing, answer)) {
      await turn.cluster.update(CSIStorageCapacities, { ...existing, ...sizesOf(answer) });
    }
  }

  async #ask({ parameters = {} }: StorageClass, place: Topology, turn: Turn): Promise<GetCapacityResponse> {
    const { driver } = this.#services;
    const request = { volumeCapabilities: [], parameters, accessibleTopology: place };
    const asked = await attempt(
      () => driver.controller.getCapacity(request, csiCall(this.#services, turn)),
      isCsiError,
    );
    if (asked.failed) throw new Error(`CSI GetCapacity: ${asked.error.message}`);
    return asked.value;
  }

  async #create({ className, segment }: CapacityItem, answer: GetCapacityResponse, turn: Turn): Promise<void> {
    const { driver, settings } = this.#services;
    await turn.cluster.create(CSIStorageCapacities, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: {
        generateName: 'csisc-',
        namespace: settings.namespace,
        labels: { [DRIVER_LABEL]: driver.name, [MANAGED_BY_LABEL]: MANAGED_BY },
      },
      storageClassName: className,
      nodeTopology: segment.length === 0 ? {} : { matchLabels: toTopology(segment).segments },
      ...sizesOf(answer),
    });
  }

  async #remove(objects: readonly CSIStorageCapacity[], turn: Turn): Promise<void> {
    for (const object of objects) {
      try {
        await turn.cluster.delete(CSIStorageCapacities, keyOf(object));
      } catch (error) {
        if (!isApiError(error, 'NotFound')) throw error;
      }
    }
  }
}

export function queueLimits({ settings }: Services): {
  readonly perKey: { readonly initialMs: number; readonly factor: number; readonly maxMs: number };
} {
  return { perKey: { initialMs: settings.retryIntervalStartMs, factor: 2, maxMs: settings.retryIntervalMaxMs } };
}

function sizesOf({
  availableCapacity,
  maximumVolumeSize,
}: GetCapacityResponse): Pick<CSIStorageCapacity, 'capacity' | 'maximumVolumeSize'> {
  return {
    capacity: formatBytes(availableCapacity),
    ...(maximumVolumeSize === undefined ? {} : { maximumVolumeSize: formatBytes(maximumVolumeSize) }),
  };
}

function isSame(object: CSIStorageCapacity, answer: GetCapacityResponse): boolean {
  const sizes = sizesOf(answer);
  const isEqual = (a: string | undefined, b: string | undefined): boolean =>
    a === b || (a !== undefined && b !== undefined && bytesOf(a) === bytesOf(b));
  return isEqual(object.capacity, sizes.capacity) && isEqual(object.maximumVolumeSize, sizes.maximumVolumeSize);
}

const labelsOf = (node: { readonly metadata: { readonly labels?: StringMap } } | undefined): StringMap | undefined =>
  node === undefined ? undefined : (node.metadata.labels ?? {});

function areLabelsSame(change: Change<{ readonly metadata: { readonly labels?: StringMap } }>): boolean {
  if (change.type !== 'updated') return false;
  const [before, now] = [change.before.metadata.labels ?? {}, change.object.metadata.labels ?? {}];
  if (before === now) return true;
  const keys = Object.keys(now);
  return keys.length === Object.keys(before).length && keys.every((key) => before[key] === now[key]);
}
