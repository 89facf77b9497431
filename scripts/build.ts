// `npm run build`: the programs in dist/, ready to run. A bundled CLI starts as fast as bare node; the same code under
// two names lets `kubectl mooring` find it as a plug-in.
import { chmodSync, copyFileSync, rmSync } from 'node:fs';
import { bundle } from './build/bundle.ts';

const FOLDER = 'dist';
const PROGRAM = `${FOLDER}/mooring.js`;
const OTHER_NAMES = [`${FOLDER}/kubectl-mooring.js`] as const;

async function main(): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  const bundled = bundle(FOLDER, { sourcemap: 'linked', sourcesContent: false, logLevel: 'warning' });
  // The bundler has printed what is wrong, with file and line; its stack would say nothing about our source.
  await bundled.catch(() => process.exit(1));
  chmodSync(PROGRAM, 0o755);
  for (const program of OTHER_NAMES) {
    // The copy's last line names the map of the original, which holds for it as well.
    copyFileSync(PROGRAM, program);
    chmodSync(program, 0o755);
  }
}

await main();
