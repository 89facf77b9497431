import { describe, expect, test } from 'vitest';
import { runStory } from './run-story.ts';
import { readStory } from './story-file.ts';
import { FileFault } from './yaml-reader.ts';

const CLAIM = `
      kind: PersistentVolumeClaim
      metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce], storageClassName: fast, resources: { requests: { storage: 1Gi } } }`;
const story = (steps: string, cluster = ''): ReturnType<typeof readStory> =>
  readStory(
    's.yaml',
    `name: sample\nabout: a\nlasts: 60s\ncluster:\n  nodes: 1\n  drivers: [{ name: d.example.com }]\n  classes: [{ name: fast, driver: d.example.com }]\n${cluster}steps:\n${steps}`,
  );

describe('a story', () => {
  test('P-SIM-5 with a step that is refused unexpectedly -> a failed verdict that says why', async () => {
    const run = await runStory(
      story('  - apply: { kind: PersistentVolumeClaim, metadata: { name: data }, spec: {} }\n'),
    );
    expect(run.verdicts.map(({ passed }) => passed)).toEqual([false]);
    expect(run.verdicts[0]?.why).toContain('spec.accessModes: Required value');
    expect(run.entries.some(({ verb }) => verb === 'refused')).toBe(true);
  });

  test('P-SIM-5 that expects a refusal which does not come -> a failed verdict', async () => {
    const run = await runStory(story(`  - refused: nonsense\n    apply:${CLAIM}\n`));
    expect(run.verdicts[0]).toMatchObject({ passed: false, why: 'it was accepted' });
  });

  test('with unknown fields in an object -> refused, as kubectl would', async () => {
    const run = await runStory(
      story(
        '  - refused: unknown field "spec.acessModes"\n    apply: { kind: PersistentVolumeClaim, metadata: { name: data }, spec: { acessModes: [] } }\n',
      ),
    );
    expect(run.verdicts[0]?.why).toBe('');
  });

  test('that starts with an object the API refuses -> a fault of the file at its place', async () => {
    const broken = story(
      '  - delete: pvc/x\n',
      '  manifests:\n    - kind: PersistentVolume\n      metadata: { name: v }\n      spec: { capacity: { storage: 1Gi }, accessModes: [ReadWriteOnce] }\n',
    );
    await expect(runStory(broken)).rejects.toThrow(FileFault);
    await expect(runStory(broken)).rejects.toMatchObject({ place: { line: 9, column: 7 } });
  });

  test('in which CreateVolume hangs until the fault ends -> bound after it', async () => {
    const run = await runStory(
      story(
        `  - { at: 0s, fault: { type: csi-hang, call: CreateVolume }, for: 25s }\n  - at: 1s\n    apply:${CLAIM}\nexpect:\n  - { within: 60s, of: pvc/data, condition: Bound }\n  - { within: 15s, of: pvc/data, condition: event ProvisioningFailed ~ DeadlineExceeded }\n`,
      ),
    );
    expect(run.verdicts.map(({ passed, expectation }) => [passed, expectation])).toEqual(
      run.verdicts.map(({ expectation }) => [true, expectation]),
    );
    const bound = run.verdicts[0]?.atMs ?? 0;
    expect(bound).toBeGreaterThan(25_000);
  });

  test('P-WORLD-2 in which a component is killed and comes back -> it finishes what it began', async () => {
    const run = await runStory(
      story(
        `  - { at: 990ms, fault: { type: component-restart, component: persistentvolume-controller }, for: 20s }\n  - at: 1s\n    apply:${CLAIM}\nexpect:\n  - { within: 40s, of: pvc/data, condition: Bound }\n`,
      ),
    );
    expect(run.verdicts[0]?.atMs).toBeGreaterThan(20_990);
    const dead = run.entries.filter(
      ({ actor, at }) => actor === 'persistentvolume-controller' && at - run.startedAt < 20_990,
    );
    expect(dead).toEqual([]);
  });

  test('with another seed -> other times, the same end', async () => {
    const told = story(
      `  - at: 1s\n    apply:${CLAIM}\nexpect:\n  - { within: 10s, of: pvc/data, condition: Bound }\n`,
    );
    const [one, two] = [await runStory(told, 1), await runStory(told, 2)];
    expect(JSON.stringify(one.entries)).not.toBe(JSON.stringify(two.entries));
    expect([one, two].map(({ verdicts }) => verdicts[0]?.passed)).toEqual([true, true]);
  });
});
