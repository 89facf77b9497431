// The map in docs/architecture.md is read by people, the table in scripts/layers.ts by the check: they say the same.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LAYERS, roomOf } from './layers.ts';

const repository = join(import.meta.dirname, '..');
const architecture = readFileSync(join(repository, 'docs', 'architecture.md'), 'utf8');

function tableRows(markdown: string): string[][] {
  const section = /^## Layers$(.*?)^## /ms.exec(markdown)?.[1] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| `'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('the layer table of the document -> is the table of the check', () => {
  const rows = LAYERS.map(({ room, may }) => {
    const told = may === 'every row above' ? may : may.join(', ');
    return [`\`${room}\``, told === '' ? 'nothing of ours' : told];
  });
  expect(tableRows(architecture)).toEqual(rows);
});

test('every folder of src -> is a room with a row', () => {
  const folders = readdirSync(join(repository, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map((folder) => folder.name).filter((name) => roomOf(`${name}/x.ts`) === undefined)).toEqual([]);
});

test('every decision -> has a number of its own, the four parts, and is linked from the architecture', () => {
  const names = readdirSync(join(repository, 'docs', 'decisions')).sort();
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
  for (const name of names) {
    expect(name).toMatch(/^\d{4}-[a-z0-9-]+\.md$/);
    const text = readFileSync(join(repository, 'docs', 'decisions', name), 'utf8');
    for (const part of ['## Context', '## Options', '## What would change our mind'])
      expect(text, name).toContain(part);
    expect(text, name).toMatch(/^## (?:Options and choice|Choice)$/m);
    expect(architecture).toContain(`decisions/${name}`);
  }
});
