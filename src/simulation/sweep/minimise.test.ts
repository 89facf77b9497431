import { describe, expect, test } from 'vitest';
import { isAlike, minimise } from './minimise.ts';
import { runStory } from '../run-story.ts';
import { readStory } from '../story-file.ts';
import { type StepDocument, type StoryDocument, printDocument } from './story-document.ts';
import { type Failure, failureOf, play } from './sweep.ts';

const failure: Failure = { kind: 'single-writer', about: 'volume 1', says: 'two writers' };
const steps: readonly StepDocument[] = Array.from({ length: 12 }, (_, index) =>
  index % 2 === 0 ? { at: `${index}ms`, fault: { type: 'x', index } } : { at: `${index}ms`, delete: `pod/${index}` },
);
const document: StoryDocument = {
  name: 's',
  about: '',
  seed: 1,
  lasts: '1m',
  settles: '1m',
  cluster: { nodes: 4, zones: 2, settings: { a: 1 } },
  steps,
};
const has = (story: StoryDocument, ...at: readonly string[]): boolean =>
  at.every((each) => story.steps.some((step) => step.at === each));

describe('P-SIM-10 a failing story is made small', () => {
  test('two steps are to blame -> only they are left, and the cluster is as small as it can be', async () => {
    const judge = async (story: StoryDocument): Promise<Failure | undefined> =>
      has(story, '4ms', '9ms') && Number(story.cluster['nodes']) >= 2 ? { ...failure, about: 'volume 1' } : undefined;
    const { document: small, runs } = await minimise(document, failure, { judge });
    expect(small.steps.map(({ at }) => at)).toEqual(['4ms', '9ms']);
    expect(small.cluster).toEqual({ nodes: 2, zones: 1, settings: {} });
    expect(runs).toBeLessThan(60);
  });

  test('nothing is to blame -> no step is left', async () => {
    const { document: small } = await minimise(document, failure, { judge: async () => failure });
    expect(small.steps).toEqual([]);
  });

  test('a variant that fails otherwise -> not taken', async () => {
    const judge = async (story: StoryDocument): Promise<Failure | undefined> =>
      has(story, '1ms') ? failure : { ...failure, kind: 'liveness' };
    expect((await minimise(document, failure, { judge })).document.steps.map(({ at }) => at)).toEqual(['1ms']);
  });

  test('runs are limited -> what is found by then is answered', async () => {
    const { runs, document: small } = await minimise(document, failure, { judge: async () => undefined, runsMax: 5 });
    expect([runs, small.steps.length]).toEqual([5, 12]);
  });

  test('a cluster in which a taint keeps a pod from its node -> a file of two steps that fails in the same way', async () => {
    const taints = [{ key: 'broken', effect: 'NoSchedule' }];
    const spec = {
      nodeSelector: { 'kubernetes.io/hostname': 'node-a' },
      containers: [{ name: 'main', image: 'app' }],
    };
    const large: StoryDocument = {
      ...document,
      lasts: '5m',
      cluster: { nodes: 3, zones: 1, settings: {} },
      steps: [
        { at: '1s', patch: { target: 'node/node-a', patch: { spec: { taints } } } },
        { at: '2s', fault: { type: 'kubelet-restart', node: 'node-b' } },
        { at: '3s', apply: { kind: 'Pod', metadata: { name: 'web' }, spec } },
        { at: '4s', fault: { type: 'node-freeze', node: 'node-c' }, for: '10s' },
      ],
    };
    const first = failureOf(await play(large));
    if (first === undefined) throw new Error('the story should fail');
    const { document: small, failure: left } = await minimise(large, first);
    expect(small.steps.map(({ at }) => at)).toEqual(['1s', '3s']);
    expect(small).toMatchObject({ lasts: '63000ms', cluster: { nodes: 1 } });
    const run = await runStory(readStory('small.yaml', printDocument(small)));
    const again = failureOf({ run });
    expect(again !== undefined && isAlike(again, first) && isAlike(left, first)).toBe(true);
    expect(run.story.about).toMatch(/liveness fails: pod\/default\/web it is Pending/);
  });

  test('uids are drawn anew in every variant -> failures are alike all the same', () => {
    const [one, other] = [
      'volume 0b9c4b7e-1c3f-4d0f-9d0c-6f8f6b1c1e11',
      'volume 5f3c1c52-6f0f-4c0b-8f47-0d5d0a5b8a10',
    ].map((about) => ({ ...failure, about }));
    expect(one !== undefined && other !== undefined && isAlike(one, other)).toBe(true);
    expect(isAlike(failure, { ...failure, about: 'volume 2' })).toBe(false);
  });
});
