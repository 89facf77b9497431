// Real controllers against a started server: they find the kinds of all their informers, and do their work.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peersFor } from '../peers.ts';
import { StartedServer, builtProgram } from './started-server.ts';

const peers = peersFor('real controllers', ['kube-controller-manager']);

const folder = mkdtempSync(path.join(tmpdir(), 'mooring-controllers-'));
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const PODS = '/api/v1/namespaces/default/pods';
let server: StartedServer;
let running: ChildProcess;
let said = '';

// skipped: without a controller manager there is nobody to watch
describe.skipIf(peers === undefined)('kube-controller-manager', () => {
  beforeAll(async () => {
    server = await StartedServer.start(await builtProgram(folder), path.join(folder, 'data'));
    const words = ['--kubeconfig', server.kubeconfig];
    running = spawn(peers?.['kube-controller-manager'] ?? '', [...words, '--leader-elect=false', '--secure-port=0'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  }, 120_000);
  afterAll(async () => {
    running.kill('SIGKILL');
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const itemsAt = async (target: string): Promise<readonly unknown[]> => {
    const { json } = await server.ask('GET', target);
    return (json as { readonly items: readonly unknown[] }).items;
  };
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 200));
  };

  test('P-HTTP-15 a deployment -> its pods, made through a replica set', async () => {
    await until(async () => (await itemsAt('/api/v1/namespaces/default/serviceaccounts')).length > 0);
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } };
    const body = JSON.stringify({
      metadata: { name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
    const headers = { 'content-type': 'application/json' };
    expect((await server.ask('POST', DEPLOYMENTS, { headers, body })).code).toBe(201);
    await until(async () => (await itemsAt(PODS)).length === 2);
  }, 120_000);

  test('P-HTTP-15 a namespace -> deleted with all that is in it', async () => {
    const headers = { 'content-type': 'application/json' };
    await server.ask('POST', '/api/v1/namespaces', { headers, body: '{"metadata":{"name":"short"}}' });
    await server.ask('POST', '/api/v1/namespaces/short/configmaps', { headers, body: '{"metadata":{"name":"c"}}' });
    await server.ask('DELETE', '/api/v1/namespaces/short');
    await until(async () => (await server.ask('GET', '/api/v1/namespaces/short')).code === 404);
  }, 120_000);

  test('P-HTTP-15 all its informers -> no kind is missing', () => {
    expect(said).not.toMatch(/could not find the requested resource|Failed to watch|failed to list/i);
  });
});
