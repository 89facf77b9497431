import { describe, expect, test } from 'vitest';
import { readStory } from './story-file.ts';
import { FileFault } from './yaml-reader.ts';

const STORY = `name: sample
about: a
cluster:
  nodes: 3
  zones: 2
  classes:
    - { name: fast, driver: d }
  settings:
    pvclaimbinder-sync-period: 10s
steps:
  - at: 1s
    apply:
      kind: PersistentVolumeClaim
      metadata: { name: data }
      spec: { accessModes: [ReadWriteOnce] }
  - at: 90s
    delete: pvc/data
expect:
  - { within: 2s, of: pvc/data, condition: Bound }
  - { never: pvc/data Lost }
  - { atEnd: pvc/data, is: gone }
`;

/** The one line that a reader gets for a file in which one text was replaced by another. */
function complaint(from: string, to: string): string {
  expect(STORY).toContain(from);
  try {
    readStory('s.yaml', STORY.replace(from, to));
  } catch (error) {
    if (error instanceof FileFault) return error.line;
    throw error;
  }
  return 'accepted';
}

describe('a story file', () => {
  test('that is sound -> steps in order of time, kinds and durations read', () => {
    const story = readStory('s.yaml', STORY);
    expect(story.cluster.nodes.map(({ name, zone }) => `${name} ${zone}`)).toEqual([
      'node-a zone-1',
      'node-b zone-1',
      'node-c zone-2',
    ]);
    expect(story.steps.map((step) => [step.atMs, step.do])).toEqual([
      [1000, 'apply'],
      [90_000, 'delete'],
    ]);
    expect(story.expect.map(({ type }) => type)).toEqual(['within', 'never', 'atEnd']);
    expect(story.lastsMs).toBe(150_000);
  });

  test('of a tickless cluster -> the world leaves out what finds nothing new', () => {
    expect(readStory('s.yaml', STORY.replace('zones: 2', 'tickless: true')).cluster.tickless).toBe(true);
    expect(readStory('s.yaml', STORY).cluster.tickless).toBeUndefined();
  });

  const rows: readonly [string, string, string, string][] = [
    ['unknown key', 'about: a', 'abuot: a', 's.yaml:2:1: unknown key "abuot" in a story, did you mean "about"?'],
    [
      'unknown key of a step',
      'delete: pvc/data',
      'delte: pvc/data',
      's.yaml:17:5: unknown key "delte" in a step, did you mean "delete"?',
    ],
    ['bad duration', 'at: 90s', 'at: soon', 's.yaml:16:9: at must be a duration such as 90s or 1m30s, not "soon"'],
    ['negative duration', 'at: 90s', 'at: -5s', 's.yaml:16:9: at must not be negative'],
    [
      'unknown kind',
      'kind: PersistentVolumeClaim',
      'kind: PersistantVolumeClaim',
      's.yaml:13:13: unknown kind "PersistantVolumeClaim", did you mean "PersistentVolumeClaim"?',
    ],
    [
      'unknown kind of a target',
      'delete: pvc/data',
      'delete: claim/data',
      's.yaml:17:13: unknown kind "claim" in "claim/data"',
    ],
    [
      'a target without a name',
      'delete: pvc/data',
      'delete: pvc',
      's.yaml:17:13: "pvc" names no object: write KIND/NAME or KIND/NAMESPACE/NAME',
    ],
    [
      'unknown setting',
      'pvclaimbinder-sync-period: 10s',
      'pvclaimbinder-period: 10s',
      's.yaml:9:5: unknown setting "pvclaimbinder-period"',
    ],
    [
      'setting of the wrong type',
      'pvclaimbinder-sync-period: 10s',
      'pvclaimbinder-sync-period: often',
      's.yaml:9:32: "pvclaimbinder-sync-period" needs a duration such as 15s or 2m30s, not "often"',
    ],
    [
      'a condition nobody can read',
      'condition: Bound',
      'condition: is bound',
      's.yaml:19:44: cannot read the condition "is bound"',
    ],
    [
      'a promise after the end',
      'about: a',
      'about: a\nlasts: 1s',
      's.yaml:17:5: a step at 90s lies after the end of the story at 1s',
    ],
    [
      'a promise both made and refused',
      'never: pvc/data Lost',
      'never: pvc/data Bound',
      's.yaml:19:5: cannot hold: the same is expected never to be so',
    ],
    [
      'a promise for a time that ends before it begins',
      'within: 2s,',
      'after: 3s, within: 2s,',
      's.yaml:19:5: cannot hold: "after" lies behind "within"',
    ],
    [
      'a refusal after the end of the story',
      'never: pvc/data Lost }\n  - { atEnd: pvc/data, is: gone }',
      'never: pvc/data Lost, after: 1h }\nlasts: 2m',
      's.yaml:20:5: says nothing: the story ends at 120s',
    ],
    [
      'two ends of one object',
      'is: gone }',
      'is: gone }\n  - { atEnd: pvc/data, is: { status: {} } }',
      's.yaml:22:5: cannot hold: pvc/data is expected both gone and there at the end',
    ],
    ['a broken document', 'about: a', 'about: [a', 's.yaml:3:1: '],
    ['a missing name', 'name: sample\n', '', 's.yaml:1:1: a story needs "name"'],
    [
      'two actions in one step',
      'delete: pvc/data',
      'delete: pvc/data\n    patch: {}',
      's.yaml:16:5: a step needs exactly one of apply, patch, delete, fault',
    ],
    [
      'a number for zones of named nodes',
      'nodes: 3',
      'nodes: [{ name: a }]',
      's.yaml:5:3: zones goes with a number of nodes; named nodes say their own zone',
    ],
  ];
  test.each(rows)('P-SIM-1 %s -> one line with file, line and column', (_, from, to, expected) => {
    const line = complaint(from, to);
    expect(line.slice(0, expected.length)).toBe(expected);
    expect(line).not.toContain('\n');
  });

  test.each([
    ['a call nobody makes', '{ type: csi, call: MakeVolume, code: INTERNAL }', '"MakeVolume" is not known'],
    ['an unknown code', '{ type: csi, call: CreateVolume, code: BROKEN }', '"BROKEN" is not known'],
    ['an unknown fault', '{ type: lightning }', 'unknown fault "lightning"'],
    [
      'a probability over one',
      '{ type: csi, call: CreateVolume, code: INTERNAL, probability: 2 }',
      'probability must be between 0 and 1',
    ],
    ['a missing actor', '{ type: watch-drop }', 'a watch-drop fault needs "actor"'],
  ])('P-SIM-1 a fault with %s -> one line', (_, fault, expected) => {
    expect(complaint('delete: pvc/data', `fault: ${fault}`)).toContain(expected);
  });
});
