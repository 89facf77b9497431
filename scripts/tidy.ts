// `npm run tidy [folder…]`: runs the house's own checks over all tracked and new files and prints what they find; with
// folders, only what lies below them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { EXCEPTIONS } from './tidy-exceptions.ts';
import type { SourceFile } from './tidy/source.ts';
import { tidy } from './tidy/tidy.ts';

function readFiles(): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const files: SourceFile[] = [];
  for (const path of new Set(listed.split('\0'))) {
    if (path === '' || !existsSync(path)) continue;
    const text = readFileSync(path, 'utf8');
    const isBinary = text.includes('\0');
    if (!isBinary) files.push({ path, text });
  }
  return files;
}

function main(folders: readonly string[]): number {
  const files = readFiles();
  const findings = tidy(files, EXCEPTIONS).filter(
    ({ path }) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)),
  );
  for (const { path, line, check, says } of findings) process.stdout.write(`${path}:${line}: ${says} [${check}]\n`);
  process.stdout.write(`tidy: ${files.length} files, ${findings.length} findings, ${EXCEPTIONS.length} exceptions\n`);
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
