// Runs one TypeScript program: `node scripts/run.mjs scripts/tidy.ts [arguments]`. Node 20 does not read TypeScript, so the
// program is bundled first (well under a second) and the bundle is imported. Packages stay outside the bundle.
import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [program, ...programArguments] = process.argv.slice(2);
if (program === undefined) {
  process.stderr.write('usage: node scripts/run.mjs PROGRAM.ts [arguments]\n');
  process.exit(2);
}

const cache = join(root, 'node_modules', '.cache', 'mooring');
mkdirSync(cache, { recursive: true });
// Two runs of one program at once must not read each other's half-written bundle.
const bundle = join(cache, `${basename(program, '.ts')}-${process.pid}.mjs`);
process.on('exit', () => {
  rmSync(bundle, { force: true });
  rmSync(`${bundle}.map`, { force: true });
});
const bundled = build({
  entryPoints: [resolve(program)],
  outfile: bundle,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  sourcemap: true,
  logLevel: 'warning',
});
// The bundler has printed what is wrong; its stack would say nothing about the program.
await bundled.catch(() => process.exit(1));
process.setSourceMapsEnabled(true);
// The program sees itself as it would if Node had run it.
process.argv = [process.argv[0], resolve(program), ...programArguments];
await import(pathToFileURL(bundle).href);
