// What the API knows of the drivers of this node: the CSINode's entry, the node's annotation and topology labels.
// kubernetes:pkg/volume/csi/nodeinfomanager/nodeinfomanager.go
import type { Clock, DurationMs } from '../../base/clock.ts';
import type { NodeGetInfoResponse, StringMap } from '../../csi/driver.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type CSINode, CSINodes, type CSINodeDriver } from '../../kube/resources/csi-node.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';
import { isOwnNode } from '../heartbeat/node-registration.ts';
import { attempt } from '../../runtime/attempt.ts';

const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid';
const MIGRATED_ANNOTATION = 'storage.alpha.kubernetes.io/migrated-plugins';
/** In-tree plug-ins that CSI drivers serve on every node. */
const MIGRATED_PLUGINS = [
  'kubernetes.io/aws-ebs',
  'kubernetes.io/azure-disk',
  'kubernetes.io/azure-file',
  'kubernetes.io/cinder',
  'kubernetes.io/gce-pd',
  'kubernetes.io/portworx-volume',
  'kubernetes.io/vsphere-volume',
].join(',');
/** kubernetes:pkg/volume/csi/nodeinfomanager/nodeinfomanager.go updateBackoff */
const RETRIES_MS: readonly DurationMs[] = [10, 50, 250];
const COUNT_MAX = 2 ** 31 - 1;

export interface CsiNodeInfoOptions {
  readonly nodeName: string;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export class CsiNodeInfo {
  readonly #options: CsiNodeInfoOptions;
  /** Ends with the last write: each one starts from what the one before it wrote. */
  #writes: Promise<unknown> = Promise.resolve();

  constructor(options: CsiNodeInfoOptions) {
    this.#options = options;
  }

  /** There is a CSINode, whether or not a driver registers. */
  initialize(): Promise<void> {
    return this.#inTurn('CSINode annotation', async () => void (await this.#csiNode()));
  }

  async install(driver: string, info: NodeGetInfoResponse): Promise<void> {
    if (info.nodeId === '') throw new Error('error adding CSI driver node info: driverNodeID must not be empty');
    const topology = info.accessibleTopology?.segments ?? {};
    await this.#telling('error updating Node object with CSI driver node info', () =>
      this.#inTurn('node', () => this.#updateNode((node) => withDriver(node, driver, info.nodeId, topology))),
    );
    await this.update(driver, info);
  }

  update(driver: string, info: NodeGetInfoResponse): Promise<void> {
    return this.#telling('error updating CSINode object with CSI driver node info', () =>
      this.#inTurn('CSINode', async () => {
        const csiNode = await this.#csiNode();
        const drivers = withEntry(csiNode.spec.drivers ?? [], entryOf(driver, info));
        if (drivers !== undefined) await this.#updateDrivers(csiNode, drivers);
      }),
    );
  }

  async uninstall(driver: string): Promise<void> {
    await this.#inTurn('CSINode', async () => {
      const found = await attempt(() => this.#options.cluster.get(CSINodes, this.#options.nodeName));
      if (found.failed && found.error.reason === 'NotFound') return;
      if (found.failed) throw found.error;
      const drivers = found.value.spec.drivers ?? [];
      const left = drivers.filter(({ name }) => name !== driver);
      if (left.length < drivers.length) await this.#updateDrivers(found.value, left);
    });
    await this.#inTurn('node', () => this.#updateNode((node) => withoutDriver(node, driver)));
  }

  #inTurn(what: string, write: () => Promise<void>): Promise<void> {
    const turn = this.#writes.then(() => this.#retrying(what, write));
    this.#writes = turn.catch(() => undefined);
    return turn;
  }

  async #retrying(what: string, write: () => Promise<void>): Promise<void> {
    const { clock, signal } = this.#options;
    const causes: string[] = [];
    for (const waitMs of [...RETRIES_MS, undefined]) {
      const tried = await attempt(write, isRetriable);
      if (!tried.failed) return;
      causes.push(tried.error.message);
      if (waitMs !== undefined) await clock.sleep(waitMs, signal);
    }
    const told = [...new Set(causes)];
    const caused = told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]`;
    throw new Error(`error updating ${what}: timed out waiting for the condition; caused by: ${caused}`);
  }

  async #telling<T>(prefix: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw isRetriable(error) ? new Error(`${prefix}: ${error.message}`) : error;
    }
  }

  async #updateNode(change: (node: Node) => object | undefined): Promise<void> {
    const { cluster, nodeName } = this.#options;
    const body = change(await this.#ownNode());
    if (body !== undefined) await cluster.patch(Nodes, nodeName, { type: 'merge', body: { metadata: body } });
  }

  async #ownNode(): Promise<Node> {
    const node = await this.#options.cluster.get(Nodes, this.#options.nodeName);
    if (!isOwnNode(node)) throw new Error(`node "${node.metadata.name}" was created by somebody else`);
    return node;
  }

  /** The CSINode of this very Node, made if there is none; one of an earlier Node of the name is deleted first. */
  async #csiNode(): Promise<CSINode> {
    const { cluster, nodeName } = this.#options;
    const node = await this.#ownNode();
    const found = await attempt(() => cluster.get(CSINodes, nodeName));
    if (found.failed && found.error.reason !== 'NotFound') throw found.error;
    if (found.failed) return this.#create(node);
    const owners = found.value.metadata.ownerReferences ?? [];
    if (owners.some(({ uid, kind }) => kind === 'Node' && uid === node.metadata.uid)) return found.value;
    await cluster.delete(CSINodes, nodeName);
    throw new Error(`CSINode "${nodeName}" was owned by different node, deleted it`);
  }

  #create(node: Node): Promise<CSINode> {
    const { cluster, nodeName } = this.#options;
    return cluster.create(CSINodes, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: {
        name: nodeName,
        ownerReferences: [ownerReferenceTo(node)],
        annotations: { [MIGRATED_ANNOTATION]: MIGRATED_PLUGINS },
      },
      spec: { drivers: [] },
    });
  }

  async #updateDrivers(csiNode: CSINode, drivers: readonly CSINodeDriver[]): Promise<void> {
    const annotations = { ...csiNode.metadata.annotations, [MIGRATED_ANNOTATION]: MIGRATED_PLUGINS };
    const metadata = { ...csiNode.metadata, annotations };
    await this.#options.cluster.update(CSINodes, { ...csiNode, metadata, spec: { ...csiNode.spec, drivers } });
  }
}

/** Everything but bugs and the end of the process. */
const isRetriable = (error: unknown): error is Error =>
  error instanceof Error && error.name !== 'Aborted' && error.name !== 'AssertionFailure';

export function entryOf(name: string, info: NodeGetInfoResponse): CSINodeDriver {
  const topologyKeys = Object.keys(info.accessibleTopology?.segments ?? {}).toSorted();
  const count = Math.min(Number(info.maxVolumesPerNode), COUNT_MAX);
  const entry = { name, nodeID: info.nodeId, topologyKeys: topologyKeys.length === 0 ? null : topologyKeys };
  return count > 0 ? { ...entry, allocatable: { count } } : entry;
}

/** The list with the entry in it, at the end if it changed; undefined if it is there as it is. */
export function withEntry(
  drivers: readonly CSINodeDriver[],
  entry: CSINodeDriver,
): readonly CSINodeDriver[] | undefined {
  const known = drivers.find(({ name }) => name === entry.name);
  const isSame =
    known?.nodeID === entry.nodeID &&
    (known.topologyKeys ?? []).toSorted().join() === (entry.topologyKeys ?? []).join() &&
    known.allocatable?.count === entry.allocatable?.count;
  return isSame ? undefined : [...drivers.filter(({ name }) => name !== entry.name), entry];
}

/** The metadata to write; undefined if there is nothing to. Throws if a label contradicts the driver. */
function withDriver(node: Node, driver: string, nodeId: string, topology: StringMap): object | undefined {
  const ids = nodeIdsOf(node);
  const labels = node.metadata.labels ?? {};
  for (const [key, value] of Object.entries(topology)) {
    const known = labels[key];
    if (known === undefined || known === value) continue;
    const text = `driver reported "${key}":"${value}" but existing label is "${key}":"${known}"`;
    throw new Error(`detected topology value collision: ${text}`);
  }
  const isKnown = ids[driver] === nodeId && Object.keys(topology).every((key) => key in labels);
  if (isKnown) return undefined;
  return { labels: topology, annotations: annotationOf({ ...ids, [driver]: nodeId }) };
}

function withoutDriver(node: Node, driver: string): object | undefined {
  const { [driver]: gone, ...left } = nodeIdsOf(node);
  return gone === undefined ? undefined : { annotations: annotationOf(left) };
}

function nodeIdsOf(node: Node): Readonly<Record<string, string>> {
  const text = node.metadata.annotations?.[NODE_ID_ANNOTATION];
  const ids: unknown = text === undefined || text === '' ? {} : JSON.parse(text);
  const entries = typeof ids === 'object' && ids !== null ? Object.entries(ids) : [];
  return Object.fromEntries(entries.map(([driver, id]) => [driver, String(id)]));
}

function annotationOf(ids: Readonly<Record<string, string>>): object {
  const sorted = Object.entries(ids).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { [NODE_ID_ANNOTATION]: sorted.length === 0 ? null : JSON.stringify(Object.fromEntries(sorted)) };
}
