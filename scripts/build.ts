// `npm run build`: one file a program in dist/, ready to run. A bundled CLI starts as fast as bare node; the same code under
// two names lets `kubectl mooring` find it as a plug-in.
import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const ENTRY = 'src/cli/mooring.ts';
const PROGRAMS = ['dist/mooring.js', 'dist/kubectl-mooring.js'] as const;

/** Some packages of ours are CommonJS and call `require`, which a module does not have. */
const BANNER = `#!/usr/bin/env node
import { createRequire as mooringCreateRequire } from 'node:module';
const require = mooringCreateRequire(import.meta.url);`;

async function main(): Promise<void> {
  rmSync('dist', { recursive: true, force: true });
  mkdirSync('dist', { recursive: true });
  const [first, ...others] = PROGRAMS;
  const bundled = build({
    entryPoints: [ENTRY],
    outfile: first,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    logLevel: 'warning',
  });
  // The bundler has printed what is wrong, with file and line; its stack would say nothing about our source.
  await bundled.catch(() => process.exit(1));
  chmodSync(first, 0o755);
  for (const program of others) {
    // The copy's last line names the map of the original, which holds for it as well.
    copyFileSync(first, program);
    chmodSync(program, 0o755);
  }
}

await main();
