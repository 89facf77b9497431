// `npm run parity -- [--only REGEX] [--seed N] [DIRECTORY|FILE...]`: plays recorded scenarios in the simulated world and prints
// what differs; with `--https [--jobs N]` against a cluster of `mooring up`. Without a directory it plays the recordings under
// test/truth/parity.
import { parseArgs } from 'node:util';
import { playInProcess } from '../test/truth/parity/in-process.ts';
import { load } from '../test/truth/parity/parity.mjs';
import { playOverHttps } from './parity-https.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      seed: { type: 'string', default: '1' },
      https: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '8' },
    },
  });
  const paths = positionals.length > 0 ? positionals : ['test/truth/parity/scenarios'];
  if (values.https) {
    process.exitCode = await playOverHttps({ paths, only: values.only, jobs: values.jobs });
    return;
  }
  const items = load(paths, values.only === undefined ? undefined : new RegExp(values.only));
  let failed = 0;
  for (const item of items) {
    const { name, passed, faults } = await playInProcess(item, Number(values.seed)).catch((error: unknown) => ({
      name: item.scenario.name,
      passed: false,
      faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)],
    }));
    if (!passed) failed++;
    console.log(`${passed ? 'PASS' : 'FAIL'} ${name}`);
    for (const fault of faults) console.log(`     ${fault}`);
  }
  console.log(`${items.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
