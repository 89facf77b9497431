// How the program is bundled, wherever it is: parts that a command does not need stay in files that it does not read.
import { type BuildOptions, build } from 'esbuild';

const ENTRY = 'src/cli/mooring.ts';

/** Some packages of ours are CommonJS and call `require`, which a module does not have. */
const BANNER = `#!/usr/bin/env node
import { createRequire as mooringCreateRequire } from 'node:module';
const require = mooringCreateRequire(import.meta.url);`;

/** Writes `mooring.js` and its parts into `folder`. Names stay as they are written, so that a stack trace can be read. */
export async function bundle(folder: string, options: BuildOptions = {}): Promise<void> {
  await build({
    entryPoints: [ENTRY],
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'part-[hash]',
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: BANNER },
    ...options,
  });
}
