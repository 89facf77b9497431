// Every recorded outage, played in virtual time and held to its recording. `MOORING_TIMELINES` names another directory.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compare, printComparison } from './compare.ts';
import { playRecording } from './play.ts';
import { loadRecordings } from './recording.ts';

const here = path.dirname(fileURLToPath(import.meta.url));

describe('recorded outages', () => {
  for (const recording of loadRecordings(process.env['MOORING_TIMELINES'] ?? here)) {
    test(`${recording.name} ${recording.title} -> the same milestones, events and end`, async () => {
      const comparison = compare(recording, await playRecording(recording, 1));
      expect(comparison.faults, printComparison(recording, comparison)).toEqual([]);
    });

    test(`${recording.name} P-KL-14 in a tickless world -> the same milestones, events and end`, async () => {
      const comparison = compare(recording, await playRecording(recording, 1, { tickless: true }));
      expect(comparison.faults, printComparison(recording, comparison)).toEqual([]);
    });
  }
});
