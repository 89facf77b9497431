// Drivers come and go: the CSINode's entry, the node's labels, and what the plug-in is told.
import { describe, expect, it } from 'vitest';
import { type CSINode, CSINodes } from '../../kube/resources/csi-node.ts';
import { Nodes } from '../../kube/resources/node.ts';
import { KubeletBench } from '../../../test/kubelet/kubelet-bench.ts';
import type { ScriptedDriver, ScriptedDriverOptions } from '../../../test/kubelet/scripted-driver.ts';
import { withEntry } from './csi-node-info.ts';
import { PluginTable, type RegistrationStatus } from './plugin-table.ts';

const NODE = 'n1';
const ENDPOINT = '/var/lib/kubelet/plugins/d/csi.sock';
const PLUGIN = { type: 'CSIPlugin', name: 'd', endpoint: ENDPOINT, supportedVersions: ['1.0.0'] };

async function begin(options: Partial<ScriptedDriverOptions> = {}) {
  const told: RegistrationStatus[] = [];
  const plugins = new PluginTable((_plugin, status) => void told.push(status));
  const bench = new KubeletBench();
  const driver: ScriptedDriver = bench.addDriver('d', { capabilities: [], ...options });
  bench.addNode(NODE, { plugins, labels: { zone: 'a' } });
  bench.start(NODE);
  await bench.advanceTo(5);
  const csiNode = (): Promise<CSINode> => bench.cluster.get(CSINodes, NODE);
  const node = () => bench.cluster.get(Nodes, NODE);
  const asked = (): readonly number[] => bench.timesOf('NodeGetInfo').map((at) => Math.round(at - 5));
  return { bench, driver, plugins, told, csiNode, node, asked };
}

describe('a driver registers', () => {
  it('P-KL-11 appears -> entry without topology, node annotated, plug-in told', async () => {
    const { bench, plugins, told, csiNode, node } = await begin({ maxVolumesPerNode: 3 });
    plugins.appear(PLUGIN);
    await bench.advanceTo(7);
    expect((await csiNode()).spec.drivers).toEqual([
      { name: 'd', nodeID: NODE, topologyKeys: null, allocatable: { count: 3 } },
    ]);
    expect((await node()).metadata.annotations?.['csi.volume.kubernetes.io/nodeid']).toBe('{"d":"n1"}');
    expect(told).toEqual([{ pluginRegistered: true, error: '' }]);
  });

  it('P-KL-11 with topology -> keys in the entry, values as labels', async () => {
    const { bench, plugins, csiNode, node } = await begin({ topology: { rack: 'r1', zone: 'a' } });
    plugins.appear(PLUGIN);
    await bench.advanceTo(7);
    expect((await csiNode()).spec.drivers).toEqual([{ name: 'd', nodeID: NODE, topologyKeys: ['rack', 'zone'] }]);
    expect((await node()).metadata.labels).toMatchObject({ rack: 'r1', zone: 'a' });
  });

  it('P-KL-11 topology against a label -> refused, and no entry', async () => {
    const { bench, plugins, told, csiNode } = await begin({ topology: { zone: 'b' } });
    plugins.appear(PLUGIN);
    await bench.advanceTo(20);
    expect((await csiNode()).spec.drivers ?? []).toEqual([]);
    expect(told).toHaveLength(1);
    expect(told[0]?.error).toContain(
      'detected topology value collision: driver reported "zone":"b" but existing label is "zone":"a"',
    );
  });

  it('P-KL-11 its registration vanishes -> entry and annotation go, labels stay', async () => {
    const { bench, plugins, csiNode, node } = await begin({ topology: { rack: 'r1' } });
    plugins.appear(PLUGIN);
    await bench.advanceTo(7);
    plugins.vanish('d');
    await bench.advanceTo(10);
    expect((await csiNode()).spec.drivers ?? []).toEqual([]);
    const { annotations = {}, labels = {} } = (await node()).metadata;
    expect(annotations['csi.volume.kubernetes.io/nodeid']).toBeUndefined();
    expect(labels['rack']).toBe('r1');
  });

  it('P-KL-11 its process dies -> the entry stays', async () => {
    const { bench, plugins, csiNode } = await begin();
    plugins.appear(PLUGIN);
    await bench.advanceTo(7);
    bench.setDriverAlive('d', NODE, false);
    await bench.advanceTo(300);
    expect((await csiNode()).spec.drivers).toHaveLength(1);
  });

  it('P-KL-11 NodeGetInfo fails -> told at once, asked again at back-off, registered when it answers', async () => {
    const { bench, driver, plugins, told, csiNode, asked } = await begin();
    driver.setFault({ method: 'NodeGetInfo', code: 'INTERNAL', message: 'not yet', times: 7 });
    plugins.appear(PLUGIN);
    await bench.advanceTo(120);
    const gaps = asked()
      .slice(1)
      .map((at, index) => at - (asked()[index] ?? 0));
    expect(gaps).toEqual([1, 2, 3, 5, 9, 16, 32]);
    expect((await csiNode()).spec.drivers).toHaveLength(1);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatchObject({ pluginRegistered: false });
    expect(told[0]?.error).toContain('not yet');
  });

  it.each([
    [
      'another kind of plug-in',
      { ...PLUGIN, type: 'DevicePlugin' },
      'no handler registered for plugin type: DevicePlugin',
    ],
    [
      'a version nobody speaks',
      { ...PLUGIN, supportedVersions: ['0.3.0'] },
      'None of the versions specified ["0.3.0"] are',
    ],
    ['no version', { ...PLUGIN, supportedVersions: [] }, 'Plugin returned an empty list for supported versions'],
  ])('P-KL-11 %s -> refused with a text', async (_situation, plugin, text) => {
    const { bench, plugins, told } = await begin();
    plugins.appear(plugin);
    await bench.advanceTo(7);
    expect(told).toMatchObject([{ pluginRegistered: false }]);
    expect(told[0]?.error).toContain(text);
    expect(bench.timesOf('NodeGetInfo')).toEqual([]);
  });

  it('P-KL-11 another node of the name had the CSINode -> deleted and made anew', async () => {
    const { bench, plugins, csiNode, node } = await begin();
    const before = await csiNode();
    const owners = [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid: 'another' }];
    const patch = { type: 'merge' as const, body: { metadata: { ownerReferences: owners } } };
    await bench.cluster.patch(CSINodes, NODE, patch);
    plugins.appear(PLUGIN);
    await bench.advanceTo(10);
    const after = await csiNode();
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.metadata.ownerReferences?.[0]?.uid).toBe((await node()).metadata.uid);
    expect(after.spec.drivers).toHaveLength(1);
  });
});

describe('the entries of a CSINode', () => {
  const entry = (name: string, count?: number) => ({
    name,
    nodeID: NODE,
    topologyKeys: null,
    ...(count === undefined ? {} : { allocatable: { count } }),
  });
  it.each([
    ['the first', [], entry('d'), [entry('d')]],
    ['there as it is', [entry('d')], entry('d'), undefined],
    ['another limit', [entry('d', 1), entry('e')], entry('d', 2), [entry('e'), entry('d', 2)]],
    ['the limit is gone', [entry('d', 1)], entry('d'), [entry('d')]],
  ])('P-KL-11 %s -> written so', (_situation, drivers, given, expected) => {
    expect(withEntry(drivers, given)).toEqual(expected);
  });
});
