import { describe, expect, test } from 'vitest';
import { SECOND_MS } from '../../base/clock.ts';
import type { Event } from '../../kube/resources/event.ts';
import { Events } from '../../kube/resources/event.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { Pods } from '../../kube/resources/pod.ts';
import { VolumeAttachments } from '../../kube/resources/volume-attachment.ts';
import { attachmentName } from '../../volume/attachment-name.ts';
import { uniqueVolumeName } from '../../volume/volume-name.ts';
import { CAPABILITY, DRIVER, type Deed, findingsWith, told } from './rogue.ts';

const secrets = {};
async function stage({ driver, handle, call, machines }: Deed, node: string): Promise<void> {
  const stagingTargetPath = `/rogue/${node}`;
  await machines.mounterOf(node).makeDirectory(stagingTargetPath, 0o750);
  await driver.nodeService(node).nodeStageVolume(
    {
      volumeId: handle,
      publishContext: {},
      stagingTargetPath,
      volumeCapability: CAPABILITY,
      secrets,
      volumeContext: {},
    },
    call,
  );
}
const attach = (
  { driver, handle, call }: Deed,
  nodeId: string,
  accessMode: typeof CAPABILITY.accessMode = 'SINGLE_NODE_WRITER',
): Promise<unknown> =>
  driver.controller.controllerPublishVolume(
    {
      volumeId: handle,
      nodeId,
      volumeCapability: { ...CAPABILITY, accessMode },
      readonly: false,
      secrets,
      volumeContext: {},
    },
    call,
  );
const detach = ({ driver, handle, call }: Deed, nodeId: string): Promise<unknown> =>
  driver.controller.controllerUnpublishVolume({ volumeId: handle, nodeId, secrets }, call);
const publish = ({ driver, handle, call }: Deed, node: string): Promise<unknown> =>
  driver.nodeService(node).nodePublishVolume(
    {
      volumeId: handle,
      publishContext: {},
      stagingTargetPath: `/rogue/${node}`,
      volumeCapability: CAPABILITY,
      secrets,
      volumeContext: {},
      targetPath: `/rogue/${node}/target`,
      readonly: false,
    },
    call,
  );
const attachmentOf = ({ handle }: Deed, node: string): string => attachmentName({ handle, driver: DRIVER, node });

function event(
  name: string,
  fields: Pick<Event, 'reason' | 'message'> & { readonly uid: string; readonly kind?: string },
): Parameters<Deed['context']['cluster']['create']>[1] & Event {
  const { uid, kind = 'Pod', reason, message } = fields;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind, namespace: 'default', name: 'web', uid },
    reason,
    message,
    type: 'Normal',
  } as Event;
}

test('P-SIM-7 a cluster in which nobody misbehaves -> no checker says anything', async () => {
  expect(await findingsWith(async () => undefined, { story: 'settles: 10m' })).toEqual([]);
});

describe('P-SIM-7 checkers of what is written', () => {
  test('bind-symmetry: a controller that binds a claim to a volume of another -> violation', async () => {
    const findings = await findingsWith(async ({ context: { cluster, clock }, volume }) => {
      const spec = {
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'by-hand',
        resources: { requests: { storage: '1Gi' } },
      };
      const other = await cluster.create(PersistentVolumeClaims, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'other', namespace: 'default' },
        spec,
      } as never);
      const named = await cluster.update(PersistentVolumeClaims, {
        ...other,
        spec: { ...other.spec, volumeName: volume.metadata.name },
      });
      await cluster.update(
        PersistentVolumeClaims,
        { ...named, status: { ...named.status, phase: 'Bound' } },
        { subresource: 'status' },
      );
      await clock.sleep(SECOND_MS);
    });
    expect(told(findings, 'bind-symmetry')[0]).toMatch(
      /^violation: it is Bound, and its volume .* points at default\/data/,
    );
  });

  test('bind-symmetry: a controller that takes a volume from its claim -> violation', async () => {
    const findings = await findingsWith(({ context: { cluster }, volume }) =>
      cluster.patch(PersistentVolumes, volume.metadata.name, {
        type: 'merge',
        body: { spec: { claimRef: { name: 'thief', uid: 'u-1' } } },
      }),
    );
    expect(told(findings, 'bind-symmetry')[0]).toBe('violation: it was taken from pvc/default/data, which has it');
  });

  test('capacity-monotonic: a controller that shrinks a volume -> violation', async () => {
    const findings = await findingsWith(({ context: { cluster }, volume }) =>
      cluster.patch(PersistentVolumes, volume.metadata.name, {
        type: 'merge',
        body: { spec: { capacity: { storage: '512Mi' } } },
      }),
    );
    expect(told(findings, 'capacity-monotonic')).toEqual(['violation: its capacity shrank from 1Gi to 512Mi']);
  });

  test('capacity-monotonic: a controller that says more than the disk has -> violation', async () => {
    const findings = await findingsWith(({ context: { cluster }, volume }) =>
      cluster.patch(PersistentVolumes, volume.metadata.name, {
        type: 'merge',
        body: { spec: { capacity: { storage: '2Gi' } } },
      }),
    );
    expect(told(findings, 'capacity-monotonic')).toEqual([
      'violation: its capacity is said to be 2Gi, and its disk has 1073741824 bytes',
    ]);
  });

  test('exclusive-attachment: a controller that attaches a volume to a second node -> violation', async () => {
    const findings = await findingsWith((deed) => attachmentTo(deed, 'node-b'));
    expect(told(findings, 'exclusive-attachment')).toEqual([
      'violation: it was to be attached to node-b while it is attached to node-a',
    ]);
  });

  test('attachment-report: a controller that tells a node of a volume it does not have -> violation', async () => {
    const findings = await findingsWith(() => Promise.resolve(), {
      name: 'attachdetach-controller',
      fromStart: async ({ cluster, clock, signal }) => {
        await clock.sleep(10 * SECOND_MS, signal);
        const volumesAttached = [{ name: uniqueVolumeName({ driver: DRIVER, handle: 'none' }), devicePath: '' }];
        await cluster.patch(
          Nodes,
          'node-b',
          { type: 'merge', body: { status: { volumesAttached } } },
          { subresource: 'status' },
        );
      },
    });
    expect(told(findings, 'attachment-report')).toEqual([
      `violation: it is told of kubernetes.io/csi/${DRIVER}^none, which was never attached to it`,
    ]);
  });

  test('attachment-report: a controller that detaches what the node is told is attached -> violation', async () => {
    const findings = await findingsWith(() => Promise.resolve(), {
      name: 'attachdetach-controller',
      fromStart: async (context) => {
        await context.clock.sleep(40 * SECOND_MS, context.signal);
        const claim = await context.cluster.get(PersistentVolumeClaims, 'default/data');
        const volume = await context.cluster.get(PersistentVolumes, claim.spec.volumeName ?? '');
        const handle = volume.spec.csi?.volumeHandle ?? '';
        const name = attachmentName({ handle, driver: DRIVER, node: 'node-a' });
        await context.cluster.create(VolumeAttachments, {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'VolumeAttachment',
          metadata: { name },
          spec: { attacher: DRIVER, nodeName: 'node-a', source: { persistentVolumeName: volume.metadata.name } },
        } as never);
        await context.clock.sleep(10 * SECOND_MS, context.signal);
        const volumesAttached = [{ name: uniqueVolumeName({ driver: DRIVER, handle }), devicePath: '' }];
        await context.cluster.patch(
          Nodes,
          'node-a',
          { type: 'merge', body: { status: { volumesAttached } } },
          { subresource: 'status' },
        );
        await context.cluster.delete(VolumeAttachments, name);
      },
    });
    expect(told(findings, 'attachment-report')).toEqual([
      'violation: its detach began while node-a is told that the volume is attached',
    ]);
  });

  test('finalizer-order: an attacher that lets an attachment go while the volume is attached -> violation', async () => {
    const findings = await findingsWith(async (deed) => {
      const { cluster } = deed.context;
      const name = attachmentOf(deed, 'node-a');
      await cluster.patch(VolumeAttachments, name, { type: 'merge', body: { metadata: { finalizers: null } } });
    });
    expect(told(findings, 'finalizer-order')[0]).toBe(
      'violation: it was let go while the volume was attached to node-a',
    );
  });

  test('finalizer-order: a controller that lets a claim go while a pod uses it -> violation', async () => {
    const findings = await findingsWith(async ({ context: { cluster, clock, signal } }) => {
      await clock.sleep(2 * SECOND_MS, signal);
      await cluster.delete(PersistentVolumeClaims, 'default/data');
      await cluster.patch(PersistentVolumeClaims, 'default/data', {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      });
    });
    expect(told(findings, 'finalizer-order')).toContain('violation: it went while pod/default/web uses it');
  });

  test('finalizer-order: a provisioner that lets a volume go while its disk exists -> violation', async () => {
    const findings = await findingsWith(({ context: { cluster }, volume }) =>
      cluster.patch(PersistentVolumes, volume.metadata.name, {
        type: 'merge',
        body: { metadata: { finalizers: null } },
      }),
    );
    expect(told(findings, 'finalizer-order')[0]).toMatch(/^violation: it was let go while the disk .* exists$/);
  });

  test('pod-removal: a workload controller that removes a running pod from the API -> violation', async () => {
    const findings = await findingsWith(({ context: { cluster } }) =>
      cluster.delete(Pods, 'default/web', { gracePeriodSeconds: 0 }),
    );
    expect(told(findings, 'pod-removal')).toEqual([
      'violation: rogue removed it from the API while it may run on node-a',
    ]);
  });

  test('silent-waits: a controller that tells a pod twice that it waits -> violation', async () => {
    const message =
      'Multi-Attach error for volume "pv-1" Volume is already exclusively attached to one node and can\'t be attached to another';
    const findings = await findingsWith(async ({ context: { cluster } }) => {
      await cluster.create(Events, event('one', { reason: 'FailedAttachVolume', message, uid: 'u' }));
      await cluster.create(Events, event('two', { reason: 'FailedAttachVolume', message, uid: 'u' }));
    });
    expect(told(findings, 'silent-waits')).toEqual([`violation: it was told a second time that it waits: ${message}`]);
  });

  test('silent-waits: a kubelet that complains of a wait for an attach -> violation', async () => {
    const message =
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[]: context deadline exceeded';
    const findings = await findingsWith(({ context: { cluster } }) =>
      cluster.create(Events, event('one', { reason: 'FailedMount', message, uid: 'u' })),
    );
    expect(told(findings, 'silent-waits')).toHaveLength(1);
  });

  test.each([
    ['SuccessfulAttachVolume', 'AttachVolume.Attach succeeded for volume "pv-1" ', /pv-1 was never attached/],
    [
      'FailedAttachVolume',
      'Multi-Attach error for volume "pv-1" Volume is already used by pod(s) a',
      /pv-1 was never attached to any node/,
    ],
    ['ProvisioningSucceeded', 'Successfully provisioned volume pv-1', /no volume was ever made for it/],
    ['Scheduled', 'Successfully assigned default/web to node-b', /never given a node/],
    ['NodeNotReady', 'Node is not ready', /was never not ready/],
  ])('event-implies-cause: %s without a cause -> violation', async (reason, message, expected) => {
    const findings = await findingsWith(({ context: { cluster } }) =>
      cluster.create(Events, event('lie', { reason, message, uid: 'nobody' })),
    );
    expect(told(findings, 'event-implies-cause')[0]).toMatch(expected);
  });
});

describe('P-SIM-7 checkers of what is told', () => {
  test('event-implies-cause: a conflict that names a pod which never ran -> violation', async () => {
    const findings = await findingsWith(({ context: { cluster }, volume }) => {
      const message = `Multi-Attach error for volume "${volume.metadata.name}" Volume is already used by pod(s) web, ghost`;
      return cluster.create(Events, event('lie', { reason: 'FailedAttachVolume', message, uid: 'u' }));
    });
    expect(told(findings, 'event-implies-cause')[0]).toMatch(/pod\/default\/ghost, which it names, never had a node$/);
  });

  test('event-implies-cause: an eviction from a node without a taint -> violation', async () => {
    const findings = await findingsWith(async ({ context: { cluster } }) => {
      const { metadata } = await cluster.get(Pods, 'default/web');
      const message = 'Marking for deletion Pod default/web';
      await cluster.create(Events, event('lie', { reason: 'TaintManagerEviction', message, uid: metadata.uid }));
    });
    expect(told(findings, 'event-implies-cause')[0]).toMatch(/node-a never had a NoExecute taint$/);
  });

  test('event-implies-cause: an entry that names a later one as its cause -> violation', async () => {
    const findings = await findingsWith(({ context: { timeline, clock } }) => {
      const at = clock.now();
      timeline.record({ at, actor: 'rogue', verb: 'waits', kind: 'Pod', key: 'web', because: Number.MAX_SAFE_INTEGER });
      return Promise.resolve();
    });
    expect(told(findings, 'event-implies-cause')[0]).toMatch(/as its cause, which came later$/);
  });
});

const attachmentTo = (deed: Deed, nodeName: string): Promise<unknown> =>
  deed.context.cluster.create(VolumeAttachments, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'VolumeAttachment',
    metadata: { name: attachmentOf(deed, nodeName) },
    spec: { attacher: DRIVER, nodeName, source: { persistentVolumeName: deed.volume.metadata.name } },
  } as never);

describe('P-SIM-7 checkers of what happens to disks', () => {
  test('finalizer-order: an attacher that attaches before it marks -> violation', async () => {
    const findings = await findingsWith((deed) => attach(deed, 'node-b').catch(() => undefined));
    expect(told(findings, 'finalizer-order')).toEqual([
      'violation: ControllerPublishVolume to node-b was called before attachment and volume had a finalizer',
    ]);
  });

  test('detach-after-unmount: an attacher that detaches under a mount -> violation', async () => {
    const findings = await findingsWith((deed) => detach(deed, 'node-a'));
    expect(told(findings, 'detach-after-unmount')).toEqual([
      'violation: it was detached from node-a while it was mounted there, and nobody said that it was by force',
    ]);
  });

  test('single-writer: an attacher and a kubelet that let a second node write -> violation', async () => {
    const findings = await findingsWith(async (given) => {
      const volumeCapabilities = [{ ...CAPABILITY, accessMode: 'MULTI_NODE_MULTI_WRITER' as const }];
      const request = { name: 'shared', volumeCapabilities, parameters: {}, mutableParameters: {}, secrets };
      const { volume } = await given.driver.controller.createVolume(request, given.call);
      const deed = { ...given, handle: volume.volumeId };
      for (const node of ['node-a', 'node-b']) {
        await attach(deed, node, 'MULTI_NODE_MULTI_WRITER');
        await stage(deed, node);
        await publish(deed, node);
      }
    });
    expect(told(findings, 'single-writer')).toEqual(['violation: it is writable on nodes node-a and node-b at once']);
  });

  test('single-writer: the same with a driver that needs no attachment -> known of upstream', async () => {
    const findings = await findingsWith(
      async (deed) => {
        await stage(deed, 'node-b');
        await publish(deed, 'node-b');
      },
      { driver: ', attachRequired: false' },
    );
    expect(told(findings, 'single-writer')).toEqual([
      'known: it is writable on nodes node-a and node-b at once: nothing keeps a volume that needs no attachment to one node',
    ]);
  });

  test('in-use-before-mount: a kubelet that mounts what it did not say -> violation', async () => {
    const findings = await findingsWith((deed) => stage(deed, 'node-b').catch(() => undefined));
    expect(told(findings, 'in-use-before-mount')).toEqual([
      'violation: NodeStageVolume was called on node-b, which does not say that the volume is in use',
    ]);
  });

  test('one-operation-per-volume: a kubelet that stages and unstages at once -> violation', async () => {
    const findings = await findingsWith(async (deed) => {
      const { driver, handle, call } = deed;
      const unstage = driver
        .nodeService('node-a')
        .nodeUnstageVolume({ volumeId: handle, stagingTargetPath: '/rogue/node-a' }, call);
      await Promise.allSettled([stage(deed, 'node-a'), unstage]);
    });
    expect(told(findings, 'one-operation-per-volume')[0]).toBe(
      'violation: NodeStageVolume was called while NodeUnstageVolume was under way on node-a',
    );
  });

  test('one-operation-per-volume: a disk that grows is deleted, of which nothing keeps the provisioner -> known', async () => {
    const findings = await findingsWith(async ({ driver, handle, call }) => {
      const capacityRange = { requiredBytes: 2n ** 31n, limitBytes: 0n };
      const grows = driver.controller.controllerExpandVolume({ volumeId: handle, capacityRange, secrets }, call);
      await Promise.allSettled([grows, driver.controller.deleteVolume({ volumeId: handle, secrets }, call)]);
    });
    expect(told(findings, 'one-operation-per-volume')[0]).toBe(
      'known: DeleteVolume was called while ControllerExpandVolume was under way',
    );
  });

  test('no-delete-with-retain: a provisioner that deletes a retained disk -> violation', async () => {
    const findings = await findingsWith(
      async (deed) => {
        const { cluster, clock, signal } = deed.context;
        await cluster.delete(Pods, 'default/web');
        await cluster.delete(PersistentVolumeClaims, 'default/data');
        await clock.sleep(20 * SECOND_MS, signal);
        await deed.driver.controller.deleteVolume({ volumeId: deed.handle, secrets }, deed.call);
      },
      { reclaimPolicy: 'Retain' },
    );
    expect(told(findings, 'no-delete-with-retain')[0] ?? '').toMatch(
      /^violation: it was deleted although pv\/.* is to be retained$/,
    );
  });

  test('no-lost-volume: a provisioner that makes a disk and tells nobody -> violation at rest', async () => {
    const request = {
      name: 'nobody',
      volumeCapabilities: [CAPABILITY],
      parameters: {},
      mutableParameters: {},
      secrets,
    };
    const findings = await findingsWith(({ driver, call }) => driver.controller.createVolume(request, call), {
      story: 'settles: 1m',
    });
    expect(told(findings, 'no-lost-volume')).toEqual(['violation: no PersistentVolume knows it']);
  });

  test('no-leaked-mount: a kubelet that leaves a mount behind -> violation at rest', async () => {
    const findings = await findingsWith((deed) => stage(deed, 'node-b'), {
      story: 'settles: 1m',
      driver: ', attachRequired: false',
    });
    expect(told(findings, 'no-leaked-mount')).toEqual(['violation: it is mounted on node-b, where no pod uses it']);
  });
});

describe('P-SIM-7 a kubelet that restarts', () => {
  const restart = '  - { at: 60s, fault: { type: kubelet-restart, node: node-b } }';
  const options = { story: 'settles: 1m', driver: ', attachRequired: false', steps: restart };
  test('no-leaked-mount: what it could not find is left -> known of upstream', async () => {
    expect(told(await findingsWith((deed) => stage(deed, 'node-b'), options), 'no-leaked-mount')).toEqual([
      'known: it is mounted on node-b, where no pod uses it: the kubelet restarted and did not find the mount again',
    ]);
  });

  test('no-leaked-mount: what it should have found by the directory of its pod is left -> violation', async () => {
    const findings = await findingsWith(async (deed) => {
      await stage(deed, 'node-b');
      await publish(deed, 'node-b');
    }, options);
    expect(told(findings, 'no-leaked-mount')).toEqual(['violation: it is mounted on node-b, where no pod uses it']);
  });
});

describe('P-SIM-8 liveness', () => {
  test('a controller that does nothing -> what it should have done is missed, and the world is stalled', async () => {
    const findings = await findingsWith(() => Promise.resolve(), {
      name: 'persistentvolume-controller',
      fromStart: () => Promise.resolve(),
      story: 'settles: 5m',
    });
    expect(told(findings, 'liveness').map((each) => each.replace(/ \(last.*/, ''))).toEqual([
      'violation: it is Pending',
      'violation: it is Pending',
    ]);
    expect(told(findings, 'stall')).toEqual([
      'violation: not all is well, and nothing is under way that could change it',
    ]);
  });

  test('a resizer that does nothing -> the claim that asks for more is missed', async () => {
    const findings = await findingsWith(() => Promise.resolve(), {
      name: `external-resizer/${DRIVER}`,
      fromStart: () => Promise.resolve(),
      steps:
        '  - { at: 40s, patch: { target: pvc/data, patch: { spec: { resources: { requests: { storage: 2Gi } } } } } }',
      story: 'settles: 5m',
    });
    expect(told(findings, 'liveness')).toEqual(['violation: it asks for 2Gi and has 1Gi']);
  });
});
