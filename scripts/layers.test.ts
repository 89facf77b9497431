import { expect, test } from 'vitest';
import { LAYERS, STRANGERS, cellOf, roomOf, whyNotImport } from './layers.ts';

const allowed: readonly (readonly [from: string, to: string])[] = [
  ['base/virtual-clock.ts', 'base/clock.ts'],
  ['kube/object.ts', 'base/assert.ts'],
  ['runtime/informer.ts', 'kube/object.ts'],
  ['csi/grpc/client.ts', 'grpc/channel.ts'],
  ['csi/grpc/client.ts', 'csi/driver.ts'],
  ['apiserver/http/server.ts', 'apiserver/registry/strategy.ts'],
  ['apiserver/http/server.ts', 'grpc/codec.ts'],
  ['apiserver/storage/etcd/etcd.ts', 'grpc/channel.ts'],
  ['controlplane/attachdetach/attachdetach.ts', 'volume/volume-name.ts'],
  ['controlplane/scheduler/volumebinding/binder.ts', 'controlplane/scheduler/scheduler.ts'],
  ['controlplane/attachdetach/attachdetach.ts', 'controlplane/component-names.ts'],
  ['kubelet/volumemanager/reconciler.ts', 'kubelet/mounter/mounter.ts'],
  ['worlds/simulated.ts', 'controlplane/attachdetach/attachdetach.ts'],
  ['worlds/embedded.ts', 'csi/grpc/client.ts'],
  ['simulation/story.ts', 'worlds/world.ts'],
  ['twin/forecast.ts', 'simulation/story.ts'],
  ['operate/diagnose/finding.ts', 'operate/trace/trace.ts'],
  ['cli/mooring.ts', 'twin/forecast.ts'],
];
test.each(allowed)('%s imports %s -> allowed', (from, to) => {
  expect(whyNotImport(from, to)).toBeUndefined();
});

const refused: readonly (readonly [from: string, to: string, because: string])[] = [
  ['base/clock.ts', 'kube/object.ts', 'base may not import kube (it may import no other room)'],
  ['kube/object.ts', 'runtime/informer.ts', 'kube may not import runtime'],
  ['apiserver/registry/pod.ts', 'runtime/informer.ts', 'apiserver may not import runtime'],
  ['apiserver/registry/pod.ts', 'apiserver/http/server.ts', 'apiserver may not import apiserver/http'],
  ['csi/drivers/memory/memory.ts', 'csi/grpc/client.ts', 'csi may not import csi/grpc'],
  ['sidecars/attacher/attacher.ts', 'csi/grpc/client.ts', 'sidecars may not import csi/grpc'],
  ['kubelet/kubelet.ts', 'controlplane/attachdetach/attachdetach.ts', 'kubelet may not import controlplane'],
  ['kubelet/kubelet.ts', 'kubelet/mounter/linux/linux.ts', 'kubelet may not import kubelet/mounter/linux'],
  ['controlplane/podgc/podgc.ts', 'apiserver/registry/pod.ts', 'controlplane may not import apiserver'],
  ['operate/diagnose/finding.ts', 'twin/forecast.ts', 'operate/diagnose may not import twin'],
  ['worlds/world.ts', 'simulation/story.ts', 'worlds may not import simulation'],
  ['console-api/server.ts', 'cli/mooring.ts', 'console-api may not import cli'],
  [
    'controlplane/attachdetach/attachdetach.ts',
    'controlplane/persistentvolume/claim.ts',
    'controlplane/attachdetach and controlplane/persistentvolume are strangers',
  ],
  [
    'sidecars/snapshotter/sidecar/sidecar.ts',
    'sidecars/snapshotter/snapshotcontroller/content.ts',
    'sidecars/snapshotter/sidecar and sidecars/snapshotter/snapshotcontroller are strangers',
  ],
  ['controlplane/wiring.ts', 'controlplane/podgc/podgc.ts', 'controlplane and controlplane/podgc are strangers'],
  ['attic/old.ts', 'base/clock.ts', 'attic/old.ts is in no room'],
  ['base/clock.ts', 'attic/old.ts', 'attic/old.ts is in no room'],
];
test.each(refused)('%s imports %s -> refused', (from, to, because) => {
  expect(whyNotImport(from, to)).toContain(because);
});

test('every room a row names -> has a row, above the one that names it', () => {
  const rooms = LAYERS.map((layer) => layer.room);
  for (const [index, { room, may }] of LAYERS.entries()) {
    const named = may === 'every row above' ? [] : may;
    for (const each of named) expect(rooms.indexOf(each), `${room} names ${each}`).toBeLessThan(index);
    for (const each of named) expect(rooms).toContain(each);
  }
});

test('a file -> the innermost row and the innermost stranger that it lies in', () => {
  expect(roomOf('csi/grpc/client.ts')?.room).toBe('csi/grpc');
  expect(roomOf('csi/driver.ts')?.room).toBe('csi');
  expect(roomOf('clock.ts')).toBeUndefined();
  expect(cellOf('controlplane/scheduler/volumebinding/binder.ts')).toBe('controlplane/scheduler');
  expect(cellOf('volume/topology.ts')).toBeUndefined();
  expect(STRANGERS.every((parent) => roomOf(`${parent}/x.ts`) !== undefined)).toBe(true);
});
