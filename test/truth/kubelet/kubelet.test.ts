// Every recording of a real kubelet, replayed: calls and their arguments, times, events, node status, pods, claims, files.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { differencesOf } from './compare.ts';
import { readRecording } from './recording.ts';
import { Replay } from './replay.ts';
import { SETTINGS } from './replay-settings.ts';

const IDS = readdirSync(new URL('recordings', import.meta.url))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))
  .toSorted();

describe('P-KL-1 recordings of a real kubelet', () => {
  it('all of them are here', () => {
    expect(IDS).toHaveLength(45);
  });

  it.each(IDS.map((id) => [id, readRecording(id).title]))('%s %s -> as recorded', async (id) => {
    const { slackS = 0, ...settings } = SETTINGS[id] ?? {};
    const replay = await new Replay(readRecording(id), settings).run();
    expect(differencesOf(replay, slackS)).toEqual([]);
    // A recording in which nothing happens would compare equal to anything.
    expect(replay.recording.steps.length).toBeGreaterThan(3);
  });
});
