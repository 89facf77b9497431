import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject, Resource } from '../../kube/object.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import { NodeGraph } from './node-graph.ts';

const NODES = ['n1', 'n2'];
const NAMES = ['a', 'b'];

const object = (kind: string, name: string, spec: object, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, uid: name, ...metadata }, spec }) as unknown as KubeObject;
const pod = (name: string, node: string, of: string, isMirror = false): KubeObject =>
  object(
    'Pod',
    name,
    {
      nodeName: node,
      containers: [],
      volumes: [
        { name: 's', secret: { secretName: of } },
        { name: 'p', persistentVolumeClaim: { claimName: of } },
      ],
    },
    { namespace: 'ns', ...(isMirror ? { annotations: { 'kubernetes.io/config.mirror': 'h' } } : {}) },
  );
const volume = (name: string, claim: string, secret: string): KubeObject =>
  object('PersistentVolume', name, {
    claimRef: { namespace: 'ns', name: claim },
    csi: { driver: 'd', volumeHandle: name, nodePublishSecretRef: { namespace: 'ns', name: secret } },
  });

const PLACES = NAMES.flatMap((name) => [
  ['pods', `ns/${name}`],
  ['secrets', `ns/${name}`],
  ['secrets', `ns/of-${name}`],
  ['persistentvolumeclaims', `ns/${name}`],
  ['persistentvolumes', name],
]) as readonly (readonly [string, string])[];

const picture = (graph: NodeGraph): readonly boolean[] =>
  PLACES.flatMap(([plural, key]) => NODES.map((node) => graph.leads(plural, key, node)));

const name = fc.constantFrom('a', 'b');
const step = fc.oneof(
  fc.record({ type: fc.constant('pod'), name, node: fc.constantFrom('n1', 'n2', ''), of: name, gone: fc.boolean() }),
  fc.record({ type: fc.constant('volume'), name, node: fc.constant(''), of: name, gone: fc.boolean() }),
);

describe('NodeGraph', () => {
  it('P-NODE-2 any changes -> the same as a graph built anew', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const store = new ObjectStore();
        const graph = new NodeGraph(store);
        picture(graph);
        for (const { type, name: named, node, of, gone } of steps) {
          const resource: Resource<KubeObject> = type === 'pod' ? Pods : PersistentVolumes;
          const key = type === 'pod' ? `ns/${named}` : named;
          if (gone && store.get(resource, key) !== undefined) store.remove(resource, key);
          else if (!gone)
            store.put(resource, key, type === 'pod' ? pod(named, node, of) : volume(named, of, `of-${of}`));
        }
        expect(picture(graph)).toEqual(picture(new NodeGraph(store)));
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('a secret of the volume of a claim of a pod -> the node of the pod', () => {
    const store = new ObjectStore();
    store.put(Pods, 'ns/a', pod('a', 'n1', 'b'));
    store.put(PersistentVolumes, 'v', volume('v', 'b', 'deep'));
    const graph = new NodeGraph(store);
    expect(NODES.map((node) => graph.leads('secrets', 'ns/deep', node))).toEqual([true, false]);
  });

  it('P-NODE-3 a mirror pod -> itself and nothing that it names', () => {
    const store = new ObjectStore();
    store.put(Pods, 'ns/a', pod('a', 'n1', 'b', true));
    const graph = new NodeGraph(store);
    expect([graph.leads('pods', 'ns/a', 'n1'), graph.leads('secrets', 'ns/b', 'n1')]).toEqual([true, false]);
  });
});
