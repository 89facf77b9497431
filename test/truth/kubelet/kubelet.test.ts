import { describe, expect, it } from 'vitest';
import { callDifferences, claimDifferences, eventDifferences, fileDifferences, gapDifferences, podDifferences, timeDifferences, volumesInUseDifferences } from './compare.ts';
import { readRecording } from './recording.ts';
import { Replay } from './replay.ts';

const SETTINGS: Record<string, { syncs?: readonly number[]; sharedMounts?: boolean; startMs?: number; listRetry?: number; csiVolumeHealth?: boolean }> = {
  K17a: { syncs: [91.5] }, K17b: { syncs: [100] }, K17d: { syncs: [97] }, K17e: { syncs: [82.5] }, K17g: { startMs: 1800 }, K46: { syncs: [94.65] }, K19b: { csiVolumeHealth: true }, K37: { listRetry: 0.597 }, K39: { sharedMounts: true }, K25: { syncs: [65.3, 153.3, 227.3, 300.3, 377.3, 450.3] },
};
const IDS = (process.env['IDS'] ?? 'K1').split(',');
describe('kubelet recordings', () => {
  it.each(IDS)('%s', async (id) => {
    const replay = await new Replay(readRecording(id), SETTINGS[id] ?? {}).run();
    const all = [...callDifferences(replay).map((x) => `CALL ${x}`), ...timeDifferences(replay).map((x) => `TIME ${x}`), ...gapDifferences(replay).map((x) => `GAP ${x}`), ...eventDifferences(replay).map((x) => `EVENT ${x}`), ...volumesInUseDifferences(replay).map((x) => `INUSE ${x}`), ...fileDifferences(replay).map((x) => `FILE ${x}`), ...podDifferences(replay).map((x) => `POD ${x}`), ...claimDifferences(replay).map((x) => `CLAIM ${x}`)];
    console.log(id, all.join('\n'));
    expect(all).toEqual([]);
  });
});
