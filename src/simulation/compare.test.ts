import { describe, expect, test } from 'vitest';
import { ComparisonFault, variantsOf } from './compare.ts';
import type { Story } from './story.ts';
import { FileFault } from './yaml-reader.ts';

const text = `name: s
about: a
cluster:
  nodes: 2
  drivers: [{ name: d.example.com }]
  classes: [{ name: fast, driver: d.example.com }]
steps:
  - at: 1s
    apply:
      kind: Pod
      metadata: { name: web }
      spec: { containers: [{ name: main, image: app }] }
  - at: 2s
    apply:
      apiVersion: apps/v1
      kind: Deployment
      metadata: { name: api }
      spec: { selector: {}, template: { spec: { containers: [{ name: main, image: app }], tolerations: [{ key: mine }] } } }
  - { at: 10s, fault: { type: node-crash, node: node-a } }
  - { at: 3m, patch: { target: node/node-a, type: strategic, patch: { spec: { taints: [{ key: node.kubernetes.io/out-of-service, effect: NoExecute }] } } } }
expect:
  - { within: 5s, of: pod/web, condition: Running }
`;
const variants = (key: string, ...values: readonly string[]): readonly Story[] =>
  variantsOf({ shown: 's.yaml', text }, key, values).map(({ story }) => story);
const tolerationsIn = (story: Story): unknown =>
  story.steps.flatMap((step) =>
    step.do === 'apply' ? [JSON.stringify(step.object).match(/"tolerations":\[.*?\]/g)?.[0]] : [],
  );

describe('P-SIM-12 one story with several values of one thing', () => {
  test('a setting by its name -> in the settings', () => {
    const found = variants('attach-detach-reconcile-sync-period', '30s', '2m').map(({ cluster }) => cluster.settings);
    expect(found).toEqual([
      { 'attach-detach-reconcile-sync-period': '30s' },
      { 'attach-detach-reconcile-sync-period': '2m' },
    ]);
  });

  test('a field of drivers -> of every driver', () => {
    expect(
      variants('attachRequired', 'true', 'false').map(({ cluster }) => cluster.drivers[0]?.attachRequired),
    ).toEqual([true, false]);
  });

  test('attachRequired -> also in what a driver says that it can do', () => {
    const able = text.replace(
      '{ name: d.example.com }',
      '{ name: d.example.com, capabilities: { controller: [PUBLISH_UNPUBLISH_VOLUME, CREATE_DELETE_VOLUME] } }',
    );
    const found = variantsOf({ shown: 's.yaml', text: able }, 'attachRequired', ['true', 'false']);
    expect(found.map(({ story }) => story.cluster.drivers[0]?.driver.capabilities?.controller)).toEqual([
      ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'],
      ['CREATE_DELETE_VOLUME'],
    ]);
  });

  test('terminationGracePeriodSeconds -> of every pod and template', () => {
    const [story] = variants('terminationGracePeriodSeconds', '5');
    expect(JSON.stringify(story?.steps).match(/"terminationGracePeriodSeconds":5/g)).toHaveLength(2);
  });

  test('a field of classes, of the cluster, of the file', () => {
    expect(variants('reclaimPolicy', 'Retain')[0]?.cluster.classes[0]?.reclaimPolicy).toBe('Retain');
    expect(variants('nodes', '3', '5').map(({ cluster }) => cluster.nodes.length)).toEqual([3, 5]);
    expect(variants('lasts', '7m')[0]?.lastsMs).toBe(420_000);
  });

  test('a path, by index and by name', () => {
    expect(
      variants('cluster.classes[fast].waitForFirstConsumer', 'true')[0]?.cluster.classes[0]?.waitForFirstConsumer,
    ).toBe(true);
    expect(variants('steps[2].at', '44s')[0]?.steps.find((step) => step.do === 'fault')?.atMs).toBe(44_000);
  });

  test('tolerationSeconds -> of every pod and template, beside what else is tolerated', () => {
    const [story] = variants('tolerationSeconds', '30');
    const away =
      '{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":30},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":30}';
    expect(story === undefined ? [] : tolerationsIn(story)).toEqual([
      `"tolerations":[${away}]`,
      `"tolerations":[{"key":"mine"},${away}]`,
    ]);
  });

  test('out-of-service -> so long after each crash, or never', () => {
    const patchedAt = (story: Story): readonly number[] =>
      story.steps.flatMap((step) => (step.do === 'patch' ? [step.atMs] : []));
    expect(variants('out-of-service', 'never', '1m').map(patchedAt)).toEqual([[], [70_000]]);
  });

  test.each([
    ['wether', /cannot compare by "wether": write a setting/],
    ['cluster.classes[slow].driver', /the story has no "slow" there/],
    ['out-of-service', /takes never or a duration, not "soon"/],
  ])('%s -> a sentence', (key, expected) => {
    expect(() => variants(key, 'soon')).toThrow(ComparisonFault);
    expect(() => variants(key, 'soon')).toThrow(expected);
  });

  test('a value that the story cannot have -> one line that names it', () => {
    expect(() => variants('reclaimPolicy', 'Recycle')).toThrow(FileFault);
    expect(() => variants('reclaimPolicy', 'Recycle')).toThrow(/reclaimPolicy must be Delete or Retain/);
  });
});
