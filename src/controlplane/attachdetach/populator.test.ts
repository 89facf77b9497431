import { describe, expect, it } from 'vitest';
import type { Pod } from '../../kube/resources/pod.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { attachmentName } from '../../volume/attachment-name.ts';
import { type PodParts, aClaim, aPod, aVolume } from '../../volume/makers.ts';
import { DesiredStateOfWorld } from './desired-state-of-world.ts';
import { Populator } from './populator.ts';

const REASON: Reason = { type: 'started', entry: null };
const nameOf = (volume: string): string => `kubernetes.io/csi/disk.test^h-${volume}`;

function stage() {
  const desired = new DesiredStateOfWorld();
  desired.addNode('a');
  desired.addNode('b');
  const pods = new Map<string, Pod>();
  const claims = new Map<string, PersistentVolumeClaim>();
  const missing = new Set<string>();
  const bind = (name: string): void => {
    claims.set(`default/${name}`, aClaim({ name, uid: `uid-${name}`, volumeName: name, phase: 'Bound' }));
  };
  bind('v');
  bind('w');
  const changed: string[] = [];
  const populator = new Populator({
    desired,
    pods: {
      synced: true,
      get: (key) => pods.get(key),
      all: () => pods.values(),
      by: () => pods.values(),
    },
    catalogue: {
      claim: (key) => claims.get(key),
      persistentVolume: (name) =>
        missing.has(name)
          ? undefined
          : aVolume({
              name,
              claim: `${name}/uid-${name}`,
              spec: { csi: { driver: 'disk.test', volumeHandle: `h-${name}` } },
            }),
      csiDriver: () => undefined,
    },
    onChanged: (volume) => void changed.push(volume),
  });
  return {
    desired,
    populator,
    pods,
    claims,
    missing,
    bind,
    changed,
    /** `v a` for each volume wanted on a node. */
    wanted: () =>
      ['a', 'b'].flatMap((node) =>
        ['v', 'w'].filter((each) => desired.has({ volume: nameOf(each), node })).map((each) => `${each} ${node}`),
      ),
    add: (parts: PodParts): Pod => {
      const pod = aPod({ nodeName: 'a', claims: ['v'], phase: 'Running', ...parts });
      pods.set(keyOf(pod), pod);
      populator.podChanged({ type: 'added', object: pod }, REASON);
      return pod;
    },
    remove: (pod: Pod): void => {
      pods.delete(keyOf(pod));
      populator.podChanged({ type: 'deleted', object: pod }, REASON);
    },
  };
}

describe('Populator', () => {
  it.each<[string, PodParts, readonly string[]]>([
    ['a scheduled pod -> its volumes are wanted', { claims: ['v', 'w'] }, ['v a', 'w a']],
    ['a pod without a node -> nothing', { nodeName: '' }, []],
    ['a pod on a node that is not ours -> nothing', { nodeName: 'z' }, []],
    ['a pod that has ended -> nothing', { phase: 'Succeeded' }, []],
    ['P-AD-1 a pod being deleted without running containers -> nothing', { deletingIn: 30 }, []],
    ['a claim that nobody made -> nothing', { claims: ['nowhere'] }, []],
  ])('%s', (_name, parts, expected) => {
    const { add, wanted } = stage();
    add(parts);
    expect(wanted()).toEqual(expected);
  });

  it('AD-17 the pod is gone, however that was learned -> its volumes are not wanted', () => {
    const { add, remove, wanted, changed } = stage();
    remove(add({}));
    expect([wanted(), changed]).toEqual([[], [nameOf('v'), nameOf('v')]]);
  });

  it('P-AD-1 terminating with a running container -> still wanted; the container stops -> not wanted', () => {
    const { add, populator, wanted } = stage();
    const pod = add({});
    const container = { name: 'main', image: '', imageID: '', ready: true, restartCount: 0, lastState: {} };
    const terminating: Pod = {
      ...pod,
      metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' },
      status: { ...pod.status, containerStatuses: [{ ...container, state: { running: { startedAt: null } } }] },
    };
    populator.podChanged({ type: 'updated', before: pod, object: terminating }, REASON);
    expect(wanted()).toEqual(['v a']);
    const terminated = { exitCode: 0, startedAt: null, finishedAt: null };
    const stopped = {
      ...terminating,
      status: { ...pod.status, containerStatuses: [{ ...container, state: { terminated } }] },
    };
    populator.podChanged({ type: 'updated', before: terminating, object: stopped }, REASON);
    expect(wanted()).toEqual([]);
  });

  it('AD-18 another pod of the name in its place -> the old one leaves at the next look', () => {
    const { add, pods, populator, wanted } = stage();
    const before = add({ uid: '1' });
    const object = aPod({ uid: '2', nodeName: 'b', claims: ['v'] });
    pods.set(keyOf(object), object);
    populator.podChanged({ type: 'updated', before, object }, REASON);
    expect(wanted()).toEqual(['v a', 'v b']);
    populator.removeGone(REASON);
    expect(wanted()).toEqual(['v b']);
  });

  it('the pod is gone and so are its volumes -> they leave one at a look', () => {
    const { add, remove, missing, populator, wanted } = stage();
    const pod = add({ claims: ['v', 'w'] });
    missing.add('v').add('w');
    remove(pod);
    expect(wanted()).toEqual(['v a', 'w a']);
    populator.removeGone(REASON);
    expect(wanted()).toEqual(['w a']);
    populator.removeGone(REASON);
    expect(wanted()).toEqual([]);
  });

  it('P-AD-2 the claim is bound after the pod was placed -> wanted at once', () => {
    const { add, bind, claims, populator, wanted } = stage();
    claims.delete('default/v');
    add({});
    populator.claimChanged('default/v', REASON);
    expect(wanted()).toEqual([]);
    bind('v');
    populator.claimChanged('default/v', REASON);
    expect(wanted()).toEqual(['v a']);
  });

  it('the volume or the node came late -> wanted at the next look for missed pods', () => {
    const { add, desired, missing, populator, wanted } = stage();
    missing.add('v');
    add({ name: 'p' });
    add({ name: 'q', nodeName: 'z' });
    missing.clear();
    desired.addNode('z');
    expect(wanted()).toEqual([]);
    populator.addMissed(REASON);
    expect([wanted(), desired.nodesOf(nameOf('v'))]).toEqual([['v a'], ['a', 'z']]);
  });

  it('AD-21 the attachment of vol-1 on node-a -> this name', () => {
    expect(attachmentName({ handle: 'vol-1', driver: 'hostpath.csi.k8s.io', node: 'node-a' })).toBe(
      'csi-5a70c5de395ccad5e79daeb27c7c4f2634b675e6e1bb2a397999a016143bc9fb',
    );
  });
});
