// `npm run timelines -- [DIRECTORY] [--only S3] [--seed N]`: plays recorded outages and prints recorded and played times side by side.
import { parseArgs } from 'node:util';
import { compare, printComparison } from '../test/truth/timelines/compare.ts';
import { playRecording } from '../test/truth/timelines/play.ts';
import { loadRecordings } from '../test/truth/timelines/recording.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { only: { type: 'string' }, seed: { type: 'string', default: '1' } },
  });
  let failed = 0;
  const recordings = loadRecordings(positionals[0] ?? 'test/truth/timelines').filter(
    ({ name }) => values.only === undefined || name === values.only,
  );
  for (const recording of recordings) {
    const comparison = compare(recording, await playRecording(recording, Number(values.seed)));
    if (comparison.faults.length > 0) failed++;
    console.log(`${printComparison(recording, comparison)}\n`);
  }
  console.log(`${recordings.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
