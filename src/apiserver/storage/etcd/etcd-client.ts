// What the storage asks of etcd, in its own words: everything at once, one write under a condition, the newest revision, a
// lease. Every call has a deadline; one that runs out leaves open whether it was done.
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../base/clock.ts';
import { internal, timeout } from '../../../kube/api-error.ts';
import type { Channel } from '../../../grpc/channel.ts';
import { GrpcError } from '../../../grpc/status.ts';
import { Etcd, type EtcdAnswer, type EtcdRequest } from './etcd-messages.ts';
import { REGISTRY } from './registry-key.ts';

const CALL_MS_MAX = 10 * SECOND_MS;
const PAGE_KEYS = 1000;
/** Of one lease. kubernetes:staging/src/k8s.io/apiserver/pkg/storage/etcd3/lease_manager.go */
const LEASE_REUSE_MS = MINUTE_MS;
const LEASE_OBJECTS_MAX = 1000;
const EQUAL = 0;
const MOD_REVISION = 2;

export type KeyValue = EtcdAnswer<'KeyValue'>;

/** One key that shall be put, or removed without a value, if it is as old as `before`: zero for a key that is not there. */
export interface Write {
  readonly key: string;
  readonly before: number;
  readonly value: Uint8Array | undefined;
  readonly lease: bigint;
}

const CALL = { deadlineMs: CALL_MS_MAX, waitForReady: true } as const;
/** The character after the slash. */
export const REGISTRY_END = `${REGISTRY.slice(0, -1)}0`;

export class EtcdClient {
  readonly #channel: Channel;
  readonly #clock: Clock;
  #lease: { readonly id: bigint; readonly until: number; left: number } | undefined;

  constructor(channel: Channel, clock: Clock) {
    this.#channel = channel;
    this.#clock = clock;
  }

  /** All objects at one revision, in key order. */
  async all(): Promise<{ readonly revision: number; readonly kvs: readonly KeyValue[] }> {
    const kvs: KeyValue[] = [];
    let [from, revision, isMore] = [Buffer.from(REGISTRY), 0, true];
    while (isMore) {
      const range = { key: from, range_end: Buffer.from(REGISTRY_END), limit: PAGE_KEYS, revision };
      const page = await told(this.#channel.unary(Etcd.range, range, CALL));
      kvs.push(...page.kvs);
      revision ||= page.header?.revision ?? 0;
      isMore = page.more;
      from = Buffer.concat([page.kvs.at(-1)?.key ?? from, Buffer.alloc(1)]);
    }
    return { revision, kvs };
  }

  /** The newest, as all members agree. */
  async revision(): Promise<number> {
    const range = { key: Buffer.from(REGISTRY), count_only: true };
    const { header } = await told(this.#channel.unary(Etcd.range, range, CALL));
    return header?.revision ?? 0;
  }

  /** The revision of the write; undefined when somebody else was faster. */
  async write({ key: text, before, value, lease }: Write): Promise<number | undefined> {
    const key = Buffer.from(text);
    const request: EtcdRequest<'TxnRequest'> = {
      compare: [{ key, target: MOD_REVISION, result: EQUAL, mod_revision: before }],
      success: [value === undefined ? { request_delete_range: { key } } : { request_put: { key, value, lease } }],
    };
    const { succeeded, header } = await told(this.#channel.unary(Etcd.txn, request, CALL));
    return succeeded ? (header?.revision ?? 0) : undefined;
  }

  /** Ends at least `ttlMs` from now, and little later. Objects of about the same time share one. */
  async lease(ttlMs: number): Promise<bigint> {
    const now = this.#clock.monotonic();
    const known = this.#lease;
    if (known !== undefined && known.until > now && known.left > 0) {
      known.left--;
      return known.id;
    }
    const grant = { TTL: Math.ceil((ttlMs + LEASE_REUSE_MS) / SECOND_MS) };
    const { ID: id } = await told(this.#channel.unary(Etcd.leaseGrant, grant, CALL));
    this.#lease = { id, until: now + LEASE_REUSE_MS, left: LEASE_OBJECTS_MAX - 1 };
    return id;
  }

  /** Counted up by every server that compacts; whoever finds it as it was last time does the work of this round. */
  async claimCompaction(
    version: number,
    revision: number,
  ): Promise<{ isMine: boolean; version: number; revision: number }> {
    const key = Buffer.from('compact_rev_key');
    const request: EtcdRequest<'TxnRequest'> = {
      compare: [{ key, target: 0, result: EQUAL, version }],
      success: [{ request_put: { key, value: Buffer.from(String(revision)) } }],
      failure: [{ request_range: { key } }],
    };
    const { succeeded, header, responses } = await told(this.#channel.unary(Etcd.txn, request, CALL));
    const found = responses[0]?.response_range?.kvs[0]?.version ?? 0;
    return { isMine: succeeded, version: succeeded ? version + 1 : found, revision: header?.revision ?? 0 };
  }

  async compact(revision: number): Promise<void> {
    await told(this.#channel.unary(Etcd.compact, { revision }, CALL));
  }
}

/** A failure of etcd in words for the client of the API. */
async function told<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    if (error.code === 'DEADLINE_EXCEEDED' || error.code === 'UNAVAILABLE')
      throw timeout(`the storage did not answer: ${error.message}`);
    throw internal(error.message);
  }
}
