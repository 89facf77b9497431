// The README's commands are what a newcomer types first, so they are held to what exists.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const repository = join(import.meta.dirname, '..', '..');

function read(path: string): Promise<string> {
  return readFile(join(repository, path), 'utf8');
}

/** Lines of all code blocks that a shell would run. */
function commandsOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|bash)\n(.*?)^```/gms)].map((match) => match[1] ?? '');
  return blocks.flatMap((block) => block.split('\n')).filter((line) => line !== '' && !line.startsWith('#'));
}

test('the README -> tells the two commands that everything else builds on', async () => {
  const commands = commandsOf(await read('README.md'));
  expect(commands).toContain('npm ci && npm start');
  expect(commands).toContain('npm ci && npm test');
});

test('every npm script that README and CONTRIBUTING name -> exists', async () => {
  const manifest = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  const text = `${await read('README.md')}\n${await read('CONTRIBUTING.md')}`;
  const named = [...text.matchAll(/npm (?:run (?:-s )?)?(start|test|(?<=run (?:-s )?)[a-z:]+)\b/g)].map(
    (match) => match[1] ?? '',
  );
  expect(named.length).toBeGreaterThan(4);
  for (const script of named) expect(Object.keys(manifest.scripts)).toContain(script);
});

test('continuous integration -> runs what the README tells, and every part of the check', async () => {
  const manifest = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  const ci = await read('.ci/run');
  const parts = (manifest.scripts['check'] ?? '').split(' && ').map((part) => part.replace('npm run -s ', ''));
  expect(parts).toEqual(['format:check', 'lint', 'tidy', 'types', 'knip', 'test']);
  for (const part of parts.slice(0, -1)) expect(ci).toContain(`npm run -s ${part}\n`);
  expect(ci).toMatch(/npm ci\nwithin \d+ npm test /);
});

test('npm start -> builds and brings up a cluster, and CI sees it come and go', async () => {
  const manifest = JSON.parse(await read('package.json')) as { scripts: Record<string, string> };
  expect(manifest.scripts['start']).toBe('npm run -s build && exec node dist/mooring.js up');
  expect(await read('README.md')).toMatch(
    /npm ci && npm start\n```\n\nThis builds `dist\/mooring\.js` and runs `mooring up`/,
  );
  expect(await read('.ci/run')).toMatch(/step 'npm start' within \d+ npm run -s start:check\n/);
});
