// `node scripts/run.mjs scripts/readme-output.ts`: writes the output that the README shows into it. A test holds it to the program.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const LINES_SHOWN = 12;

const { stdout } = spawnSync(process.execPath, ['dist/mooring.js', 'sim', 'run', 'first-claims'], { encoding: 'utf8' });
const lines = stdout.trimEnd().split('\n');
const first = lines.slice(0, lines.findIndex((line) => line.startsWith('#')) + LINES_SHOWN).join('\n');
const last = lines.slice(lines.findIndex((line) => line.startsWith('✓'))).join('\n');
let shown = 0;
const readme = readFileSync('README.md', 'utf8').replaceAll(
  /```text\n[^]*?\n```/g,
  () => `\`\`\`text\n${shown++ === 0 ? first : last}\n\`\`\``,
);
writeFileSync('README.md', readme);
