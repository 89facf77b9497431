// Every recording of a real kubelet, replayed: calls and their arguments, times, events, node status, pods, claims, files.
// `MOORING_KUBELET_RECORDINGS` names another directory.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { differencesOf } from './compare.ts';
import { readRecordings } from './recording.ts';
import { Replay } from './replay.ts';
import { SETTINGS } from './replay-settings.ts';

const here = path.dirname(fileURLToPath(import.meta.url));
const other = process.env['MOORING_KUBELET_RECORDINGS'];
/** Folders, and how many are in each; of another's nobody knows. */
const FOLDERS: readonly (readonly [string, number | undefined])[] =
  other === undefined
    ? [
        [path.join(here, 'recordings'), 45],
        [path.join(here, 'more'), 84],
      ]
    : [[other, undefined]];

describe.each(FOLDERS)('P-KL-1 recordings of a real kubelet in %s', (folder, count) => {
  const recordings = readRecordings(folder);

  it('all of them are here', () => {
    expect(recordings.length).toBeGreaterThan(0);
    if (count !== undefined) expect(recordings).toHaveLength(count);
  });

  it.each(recordings.map((recording) => [recording.id, recording.title, recording] as const))(
    '%s %s -> as recorded',
    async (id, _title, recording) => {
      const { slackS = 0, ...settings } = SETTINGS[id] ?? {};
      const replay = await new Replay(recording, settings).run();
      expect(differencesOf(replay, slackS)).toEqual([]);
      // A recording in which nothing happens would compare equal to anything.
      expect(recording.steps.length).toBeGreaterThan(3);
    },
  );
});
