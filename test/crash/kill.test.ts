// The built program, killed without warning while 64 writers are at it.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StartedServer, builtProgram } from '../acceptance/started-server.ts';
import { KilledServer } from './killed-server.ts';

const KILLS = 20;
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-crash-'));
let program = '';
beforeAll(async () => {
  program = await builtProgram(folder);
}, 120_000);
const started: (StartedServer | KilledServer)[] = [];
const start = async (file: string, directory: string): Promise<StartedServer> => {
  const server = await StartedServer.start(file, directory);
  started.push(server);
  return server;
};
afterAll(async () => {
  for (const server of started) await server.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs a shell command in which `$SERVER` is a server on `directory`. */
function refusedBy(directory: string, shell = 'exec $SERVER'): Promise<Ended> {
  const SERVER = `${process.execPath} ${program} apiserver --port 0 --data-dir ${directory}`;
  const child = spawn('timeout', ['-s', 'KILL', '60', 'sh', '-c', shell], {
    env: { ...process.env, SERVER },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return new Promise((resolve) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
    child.once('close', (code) => resolve({ code, said }));
  });
}

describe('killed server', () => {
  test(`P-ST-16 kill -9 under 64 writers, ${KILLS} times -> every acknowledged write is there, no revision goes back, watches resume or are told`, async () => {
    const options = { program, directory: path.join(folder, 'killed'), writers: 64, writes: 600 };
    const server = new KilledServer(options);
    started.push(server);
    const rounds = [];
    for (let kill = 0; kill < KILLS; kill++) rounds.push(await server.round());
    expect(rounds.flatMap(({ lost }) => lost)).toEqual([]);
    expect(rounds.flatMap(({ untold }) => untold)).toEqual([]);
    expect(rounds.every(({ events }) => events >= 300)).toBe(true);
    expect(rounds.filter(({ wentBack, watch }) => wentBack || watch === 'missed something')).toEqual([]);
    expect(rounds.every(({ acknowledged }) => acknowledged >= 600)).toBe(true);
    expect(rounds.some(({ watch }) => watch === 'resumed')).toBe(true);
  });

  test('P-ST-8 second start on the same directory -> refused in one line; the first goes on', async () => {
    const directory = path.join(folder, 'twice');
    const server = await start(program, directory);
    const { code, said } = await refusedBy(directory);
    expect([code, said.trim().split('\n').length]).toEqual([1, 1]);
    expect(said).toMatch(/store is in use by another server \(process \d+\)$/m);
    expect((await server.ask('GET', '/readyz')).code).toBe(200);
    expect(await server.stop()).toBe(0);
  });

  test('P-ST-8 data of a newer version, and damaged data -> refused in one line', async () => {
    const directory = path.join(folder, 'newer');
    await (await start(program, directory)).stop();
    const store = path.join(directory, 'store');
    const [log = ''] = readdirSync(store).filter((name) => name.startsWith('log-'));
    writeFileSync(path.join(store, log), Buffer.from('MOORING\0\t\0\0\0'));
    expect((await refusedBy(directory)).said).toMatch(
      /^mooring: .*log-\d+ was written by a newer version of this program \(format 9, this one reads up to 1\)\n$/,
    );
    writeFileSync(path.join(store, log), Buffer.from('not a log'));
    expect((await refusedBy(directory)).code).toBe(1);
  });

  test('P-ST-8 directory that cannot be written -> refused in one line', async () => {
    const directory = path.join(folder, 'readonly');
    mkdirSync(directory);
    await (await start(program, directory)).stop();
    rmSync(path.join(directory, 'store'), { recursive: true });
    writeFileSync(path.join(directory, 'store'), '');
    chmodSync(path.join(directory, 'store'), 0o444);
    const { code, said } = await refusedBy(directory);
    expect([code, said]).toEqual([1, expect.stringMatching(/^mooring: .*store cannot be written: E[A-Z]+\n$/)]);
  });

  test('P-ST-3 disk full while it runs -> writes are refused with a reason, reads go on', async () => {
    const directory = path.join(folder, 'full');
    // No file may grow above 2 MiB: the second segment of the log cannot be made.
    const wrapper = path.join(folder, 'limited.mjs');
    const given = `['-c', 'ulimit -f 2048; exec "$0" "$@"', process.execPath, ${JSON.stringify(program)}, ...process.argv.slice(2)]`;
    writeFileSync(
      wrapper,
      `import { spawn } from 'node:child_process';
const child = spawn('sh', ${given}, { stdio: 'inherit' });
process.on('SIGTERM', () => child.kill());
child.on('exit', (code) => process.exit(code ?? 1));
`,
    );
    const server = await start(wrapper, directory);
    const maps = '/api/v1/namespaces/default/configmaps';
    const headers = { 'content-type': 'application/json' };
    const codes: number[] = [];
    let refusal = '';
    for (let index = 0; index < 12; index++) {
      const metadata = { name: `m-${index}` };
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'x'.repeat(200_000) } });
      const { code, text } = await server.ask('POST', maps, { body, headers });
      codes.push(code);
      if (code === 500) refusal = text;
    }
    expect(new Set(codes)).toEqual(new Set([201, 500]));
    expect(refusal).toContain('the write was not stored: no space left on the disk (EFBIG)');
    const { json } = await server.ask('GET', maps);
    const items = (json as { readonly items: readonly unknown[] }).items.length;
    expect(items).toBe(codes.filter((code) => code === 201).length);
    await server.stop();
  });
});
