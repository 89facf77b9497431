// Controllers that a few recordings need beside the kubelet, as far as they do.
import type { Draft } from '../../../src/kube/cluster.ts';
import type { KubeObject } from '../../../src/kube/object.ts';
import { ownerReferenceTo } from '../../../src/kube/owner-reference.ts';
import { PersistentVolumeClaims } from '../../../src/kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../../src/kube/resources/pod.ts';
import type { Stage } from './stage.ts';

export interface Action {
  readonly at: number;
  perform(): Promise<void> | void;
}

interface StatefulSet extends KubeObject {
  readonly spec: { readonly template: { readonly metadata: object; readonly spec: Pod['spec'] } };
}

/** The first pod of a StatefulSet; taint eviction and pod garbage collection when its node is lost. */
export function statefulSetActions(replay: Stage): readonly Action[] {
  const { objects, pods, steps } = replay.recording;
  const set = objects.find(({ kind }) => kind === 'StatefulSet') as StatefulSet | undefined;
  if (set === undefined) return [];
  const name = `${set.metadata.name}-0`;
  const { namespace = '' } = set.metadata;
  const key = `${namespace}/${name}`;
  const { cluster } = replay.bench;
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name },
    spec: set.spec.template.spec,
  } as unknown as Pod;
  const made = steps.find(({ object }) => object?.kind === 'StatefulSet')?.at ?? 0;
  const byHand = steps.filter((step) => step.do === 'delete' && step.object?.kind === 'Pod').map(({ at }) => at ?? 0);
  const lost = (pods[name] ?? []).flatMap((each): readonly Action[] => {
    const at = each.at === 'before' ? made : each.at;
    if (byHand.some((deleted) => at > deleted - 1)) return [];
    if (each['deleting'] === true) return [{ at, perform: async () => void (await cluster.delete(Pods, key)) }];
    if (each['gone'] === true) return [{ at, perform: () => collect(replay, key) }];
    return each['phase'] === 'Pending' ? [{ at: at + 0.03, perform: () => replay.createPod(manifest) }] : [];
  });
  return [{ at: made + 0.1, perform: () => replay.createPod(manifest) }, ...lost];
}

async function collect({ bench: { cluster } }: Stage, key: string): Promise<void> {
  const body = { status: { phase: 'Failed' } };
  await cluster.patch(Pods, key, { type: 'merge', body }, { subresource: 'status' });
  await cluster.delete(Pods, key, { gracePeriodSeconds: 0 });
}

/** Claims of generic ephemeral volumes, provisioned at once, and gone with their pod. */
export function ephemeralClaimActions(replay: Stage): readonly Action[] {
  const { claims, objects, pods, volumes } = replay.recording;
  const pod = objects.find(
    (object) => object.kind === 'Pod' && (object as Pod).spec.volumes?.some(({ ephemeral }) => ephemeral),
  ) as Pod | undefined;
  if (pod === undefined) return [];
  const { name, namespace = '' } = pod.metadata;
  const placed = pods[name]?.find(({ nodeName }) => nodeName !== undefined)?.at;
  const claimName = Object.keys(claims)[0] ?? '';
  const volumeName = Object.keys(volumes)[0] ?? '';
  const gone = pods[name]?.find((each) => each['gone'] === true)?.at;
  const at = typeof placed === 'number' ? placed : 0;
  return [
    { at: at + 0.001, perform: () => provision(replay, { name, namespace, claimName, volumeName, pod }) },
    { at: (typeof gone === 'number' ? gone : 0) + 0.1, perform: () => remove(replay, `${namespace}/${claimName}`) },
  ];
}

async function provision(
  replay: Stage,
  {
    name,
    namespace,
    claimName,
    volumeName,
    pod,
  }: { name: string; namespace: string; claimName: string; volumeName: string; pod: Pod },
): Promise<void> {
  const { cluster } = replay.bench;
  const owner = await cluster.get(Pods, `${namespace}/${name}`);
  const source = pod.spec.volumes?.find(({ ephemeral }) => ephemeral)?.ephemeral?.volumeClaimTemplate?.spec;
  const capacity = { storage: source?.resources.requests?.['storage'] ?? '' };
  const claim = await cluster.create(PersistentVolumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: claimName, namespace, ownerReferences: [ownerReferenceTo(owner, { controller: true })] },
    spec: { ...source, volumeName },
  } as Draft<KubeObject> as never);
  const driver = Object.keys(replay.recording.driver)[0] ?? '';
  await cluster.create(PersistentVolumes, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volumeName },
    spec: {
      capacity,
      accessModes: source?.accessModes ?? [],
      csi: { driver, volumeHandle: volumeName, ...recordedSource(replay) },
      claimRef: { namespace, name: claimName, uid: claim.metadata.uid },
      persistentVolumeReclaimPolicy: 'Delete',
    },
  });
  const status = { phase: 'Bound', capacity, accessModes: source?.accessModes };
  await cluster.patch(
    PersistentVolumeClaims,
    `${namespace}/${claimName}`,
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
}

/** What the provisioner put into the volume is read from the first call about it. */
function recordedSource({ recording }: Stage): object {
  const staged = recording.calls.find(({ method }) => method === 'NodeStageVolume')?.request;
  const { volume_context: volumeAttributes, volume_capability: capability } = staged as {
    volume_context?: object;
    volume_capability?: { mount?: { fs_type?: string } };
  };
  const fsType = capability?.mount?.fs_type;
  return {
    ...(volumeAttributes === undefined ? {} : { volumeAttributes }),
    ...(fsType === undefined ? {} : { fsType }),
  };
}

async function remove({ bench: { cluster } }: Stage, key: string): Promise<void> {
  await cluster.delete(PersistentVolumeClaims, key);
}
