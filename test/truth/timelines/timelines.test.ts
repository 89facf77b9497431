// Every recorded outage, played in virtual time and held to its recording. `MOORING_TIMELINES` names another directory.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compare, printComparison } from './compare.ts';
import { playRecording } from './play.ts';
import { loadRecordings } from './recording.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

/** Outages that do not hold yet. S11: the kubelet removes a drained pod up to a second after it ended, recorded 0.06 s. */
const LATER: readonly string[] = ['S11'];

describe('recorded outages', () => {
  const recordings = loadRecordings(process.env['MOORING_TIMELINES'] ?? here);
  for (const recording of recordings.filter(({ name }) => !LATER.includes(name))) {
    test(`${recording.name} ${recording.title} -> the same milestones, events and end`, async () => {
      const comparison = compare(recording, await playRecording(recording, 1));
      expect(comparison.faults, printComparison(recording, comparison)).toEqual([]);
    });
  }
});
