// Our gRPC stack against a real etcd: what was put is read, compared and watched as etcd says.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Etcd, type EtcdAnswer } from '../../src/apiserver/storage/etcd/etcd-messages.ts';
import { SystemClock } from '../../src/base/system-clock.ts';
import { type Channel, openChannel } from '../../src/grpc/channel.ts';
import { GrpcError } from '../../src/grpc/status.ts';
import { freePorts } from '../free-ports.ts';
import { peersFor } from '../peers.ts';

const peers = peersFor('etcd over gRPC', ['etcd']);
const folder = mkdtempSync(path.join(tmpdir(), 'mooring-etcd-'));
const clock = new SystemClock();
const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (value: Uint8Array | undefined): string => Buffer.from(value ?? []).toString('utf8');

// skipped: without etcd there is nobody to speak to
describe.skipIf(peers === undefined)('etcd', () => {
  let etcd: ChildProcess;
  let channel: Channel;

  beforeAll(async () => {
    const [client, peer] = await freePorts(2);
    const urls = { client: `http://127.0.0.1:${client}`, peer: `http://127.0.0.1:${peer}` };
    const words = ['--data-dir', folder, '--listen-client-urls', urls.client, '--advertise-client-urls', urls.client];
    const peerWords = ['--listen-peer-urls', urls.peer, '--initial-advertise-peer-urls', urls.peer];
    const cluster = ['--initial-cluster', `default=${urls.peer}`, '--log-level', 'error'];
    etcd = spawn(peers?.etcd ?? '', [...words, ...peerWords, ...cluster], { stdio: 'ignore' });
    channel = await openChannel({ address: `127.0.0.1:${client}`, clock });
    await channel.unary(Etcd.status, {}, { waitForReady: true, deadlineMs: 60_000 });
  }, 120_000);
  afterAll(async () => {
    channel.close();
    const ended = new Promise((resolve) => etcd.once('exit', resolve));
    etcd.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  test('P-GRPC-4 put -> range answers key, value and revisions; ids keep all their bits', async () => {
    const put = await channel.unary(Etcd.put, { key: bytes('/a/1'), value: bytes('één') });
    const { kvs, count, header } = await channel.unary(Etcd.range, { key: bytes('/a/'), range_end: bytes('/a0') });
    expect([count, kvs.length, text(kvs[0]?.key), text(kvs[0]?.value)]).toEqual([1, 1, '/a/1', 'één']);
    expect(kvs[0]).toMatchObject({ mod_revision: put.header?.revision, version: 1, lease: 0n });
    expect(header?.cluster_id).toBeTypeOf('bigint');
    expect(header?.cluster_id).toBe(put.header?.cluster_id);
  });

  test('P-GRPC-4 txn that compares with zero -> etcd sees the comparison: created once, refused twice', async () => {
    const create = async (value: string): Promise<EtcdAnswer<'TxnResponse'>> =>
      channel.unary(Etcd.txn, {
        compare: [{ key: bytes('/txn'), target: 2, result: 0, mod_revision: 0 }],
        success: [{ request_put: { key: bytes('/txn'), value: bytes(value) } }],
        failure: [{ request_range: { key: bytes('/txn') } }],
      });
    expect((await create('first')).succeeded).toBe(true);
    const second = await create('second');
    expect(second.succeeded).toBe(false);
    expect(text(second.responses[0]?.response_range?.kvs[0]?.value)).toBe('first');
  });

  test('P-GRPC-5 watch -> created, then each change in order with its revision, until cancelled', async () => {
    const heard: EtcdAnswer<'WatchResponse'>[] = [];
    let wake = (): void => undefined;
    const changed = (): Promise<void> => new Promise((resolve) => (wake = resolve));
    let close = (_cause: GrpcError | undefined): void => undefined;
    const closed = new Promise<GrpcError | undefined>((resolve) => (close = resolve));
    const watch = channel.bidirectional(Etcd.watch, {
      message: (response) => {
        heard.push(response);
        wake();
      },
      closed: (cause) => close(cause),
    });
    watch.send({ create_request: { key: bytes('/w/'), range_end: bytes('/w0'), prev_kv: true } });
    while (heard.length === 0) await changed();
    expect(heard[0]).toMatchObject({ created: true, events: [] });
    await channel.unary(Etcd.put, { key: bytes('/w/x'), value: bytes('1') });
    await channel.unary(Etcd.put, { key: bytes('/w/x'), value: bytes('2') });
    await channel.unary(Etcd.deleteRange, { key: bytes('/w/x') });
    const events = (): readonly EtcdAnswer<'Event'>[] => heard.flatMap((response) => response.events);
    while (events().length < 3) await changed();
    expect(events().map(({ type, kv, prev_kv }) => [type, text(kv?.value), text(prev_kv?.value)])).toEqual([
      [0, '1', ''],
      [0, '2', '1'],
      [1, '', '2'],
    ]);
    watch.cancel();
    expect((await closed)?.code).toBe('CANCELLED');
  });

  test('P-GRPC-6 refusal -> code and sentence of the server', async () => {
    const refused = channel.unary(Etcd.range, { key: bytes('/a'), revision: 1_000_000 });
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GrpcError);
    expect(error).toMatchObject({
      code: 'OUT_OF_RANGE',
      message: 'etcdserver: mvcc: required revision is a future revision',
    });
  });
});
