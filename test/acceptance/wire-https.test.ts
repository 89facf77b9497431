// The recordings of a real API server over HTTPS, by their own player as it is, against a started server.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StartedServer, builtProgram } from './started-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-wire-'));
/** The player has kubectl read the kubeconfig, and nothing else. */
const READER = path.join(folder, 'read-kubeconfig');
let server: StartedServer;

beforeAll(async () => {
  const yaml = JSON.stringify(createRequire(import.meta.url).resolve('yaml'));
  const reads = `const { parse } = require(${yaml}); const words = process.argv;
const file = words[words.indexOf('--kubeconfig') + 1];
process.stdout.write(JSON.stringify(parse(require('node:fs').readFileSync(file, 'utf8'))));`;
  writeFileSync(READER, `#!${process.execPath}\n${reads}\n`);
  chmodSync(READER, 0o755);
  server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'));
}, 120_000);
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.each(['wire', 'wire-more'])('P-HTTP-1 all recordings of test/truth/%s -> as recorded', (kit) => {
  const words = ['test/truth/wire/wire.mjs', 'check', '--kubeconfig', server.kubeconfig, `test/truth/${kit}/cases`];
  const { stdout } = spawnSync(process.execPath, words, { encoding: 'utf8', env: { ...process.env, KUBECTL: READER } });
  expect(stdout.split('\n').filter((line) => !line.startsWith('PASS') && line !== '')).toEqual([
    expect.stringMatching(/^\d+ passed, 0 failed$/),
  ]);
});
