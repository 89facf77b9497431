// What comes and goes in churn: pods with claims, and the faults that disturb them. For every way of asking a cluster.
import { MINUTE_MS } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import type { KubeObject } from '../../src/kube/object.ts';

/**
 * Of a pod with its claim and volume. Recorders remember the last 4,096 events, as upstream's do: about 9 kB of each pod until they
 * have so many, and the compiler keeps what it learned: 16 to 20 kB in all. Its objects and their events are more than twice
 * that, and would be found by their number as well.
 */
export const LEFT_BYTES_MAX = 30_000;

const FAULTS = 12;
export const CHAOS_LASTS_MS = 3 * MINUTE_MS;

const NODES = ['node-a', 'node-b', 'node-c'] as const;
const CALLS = [
  'CreateVolume',
  'DeleteVolume',
  'ControllerPublishVolume',
  'ControllerUnpublishVolume',
  'NodeStageVolume',
  'NodeUnpublishVolume',
] as const;

interface Made extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
}
/** The rest of it is the server's to add. */
const metadataOf = (name: string): KubeObject['metadata'] => ({ name }) as KubeObject['metadata'];

export const claimNamed = (name: string): Made => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: metadataOf(name),
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});

/** Of its own, with the claim of its name. */
export const podNamed = (name: string): Made => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metadataOf(name),
  spec: {
    containers: [{ name: 'c', image: 'web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
    // A pod of its own does not come back from a node that was lost: it waits for it.
    tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
  },
});

/** One after the other while chaos lasts, of a cluster with the usual nodes. */
export const drawnFaults = (random: Random, components: readonly [string, ...string[]]): readonly Made[] =>
  Array.from({ length: FAULTS }, (_, index) => {
    const name = `fault-${index}`;
    return drawnFault(name, random.fork(name), components);
  });

function drawnFault(name: string, random: Random, components: readonly [string, ...string[]]): Made {
  const node = random.pick(NODES);
  const component = random.pick(components);
  const call = random.pick(CALLS);
  const spec = random.pick<Readonly<Record<string, unknown>>>([
    { type: 'node-crash', node },
    { type: 'node-freeze', node },
    { type: 'partition', node, from: 'both' },
    { type: 'csi', call, code: 'UNAVAILABLE', probability: 0.6, afterEffect: true },
    { type: 'csi-hang', call },
    { type: 'watch-drop', actor: component },
    { type: 'component-restart', component },
    { type: 'component-crash', component },
  ]);
  return { apiVersion: 'chaos.mooring.dev/v1alpha1', kind: 'Fault', metadata: metadataOf(name), spec };
}
