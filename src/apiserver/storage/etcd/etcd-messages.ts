// etcd's client API as far as an API server uses it: messages with their field numbers, and methods.
// etcd:api/mvccpb/kv.proto, etcd:api/etcdserverpb/rpc.proto. Ids and leases use all 64 bits.
import { Codec } from '../../../grpc/codec.ts';
import type { Decoded, Given } from '../../../grpc/descriptor.ts';
import { method } from '../../../grpc/method.ts';

const ETCD_MESSAGES = {
  KeyValue: {
    key: '1 bytes',
    create_revision: '2 int64',
    mod_revision: '3 int64',
    version: '4 int64',
    value: '5 bytes',
    lease: '6 bigint64',
  },
  /** `type`: 0 is a put, 1 a delete. */
  Event: { type: '1 int32', kv: '2 KeyValue', prev_kv: '3 KeyValue' },
  ResponseHeader: {
    cluster_id: '1 biguint64',
    member_id: '2 biguint64',
    revision: '3 int64',
    raft_term: '4 uint64',
  },
  /** `sort_order`: 0 none, 1 ascending, 2 descending. `sort_target`: 0 key, 1 version, 2 create, 3 mod, 4 value. */
  RangeRequest: {
    key: '1 bytes',
    range_end: '2 bytes',
    limit: '3 int64',
    revision: '4 int64',
    sort_order: '5 int32',
    sort_target: '6 int32',
    serializable: '7 bool',
    keys_only: '8 bool',
    count_only: '9 bool',
    min_mod_revision: '10 int64',
    max_mod_revision: '11 int64',
    min_create_revision: '12 int64',
    max_create_revision: '13 int64',
  },
  RangeResponse: { header: '1 ResponseHeader', kvs: '2 repeated KeyValue', more: '3 bool', count: '4 int64' },
  PutRequest: {
    key: '1 bytes',
    value: '2 bytes',
    lease: '3 bigint64',
    prev_kv: '4 bool',
    ignore_value: '5 bool',
    ignore_lease: '6 bool',
  },
  PutResponse: { header: '1 ResponseHeader', prev_kv: '2 KeyValue' },
  DeleteRangeRequest: { key: '1 bytes', range_end: '2 bytes', prev_kv: '3 bool' },
  DeleteRangeResponse: { header: '1 ResponseHeader', deleted: '2 int64', prev_kvs: '3 repeated KeyValue' },
  RequestOp: {
    request_range: '1 RangeRequest',
    request_put: '2 PutRequest',
    request_delete_range: '3 DeleteRangeRequest',
    request_txn: '4 TxnRequest',
  },
  ResponseOp: {
    response_range: '1 RangeResponse',
    response_put: '2 PutResponse',
    response_delete_range: '3 DeleteRangeResponse',
    response_txn: '4 TxnResponse',
  },
  /** `result`: 0 equal, 1 greater, 2 less, 3 not equal. `target`: 0 version, 1 create, 2 mod, 3 value, 4 lease. */
  Compare: {
    result: '1 int32',
    target: '2 int32',
    key: '3 bytes',
    version: '4 optional int64',
    create_revision: '5 optional int64',
    mod_revision: '6 optional int64',
    value: '7 optional bytes',
    lease: '8 optional bigint64',
    range_end: '64 bytes',
  },
  TxnRequest: { compare: '1 repeated Compare', success: '2 repeated RequestOp', failure: '3 repeated RequestOp' },
  TxnResponse: { header: '1 ResponseHeader', succeeded: '2 bool', responses: '3 repeated ResponseOp' },
  CompactionRequest: { revision: '1 int64', physical: '2 bool' },
  CompactionResponse: { header: '1 ResponseHeader' },
  WatchRequest: {
    create_request: '1 WatchCreateRequest',
    cancel_request: '2 WatchCancelRequest',
    progress_request: '3 WatchProgressRequest',
  },
  /** `filters`: 0 leaves out puts, 1 deletes. */
  WatchCreateRequest: {
    key: '1 bytes',
    range_end: '2 bytes',
    start_revision: '3 int64',
    progress_notify: '4 bool',
    filters: '5 repeated int32',
    prev_kv: '6 bool',
    watch_id: '7 int64',
    fragment: '8 bool',
  },
  WatchCancelRequest: { watch_id: '1 int64' },
  WatchProgressRequest: {},
  WatchResponse: {
    header: '1 ResponseHeader',
    watch_id: '2 int64',
    created: '3 bool',
    canceled: '4 bool',
    compact_revision: '5 int64',
    cancel_reason: '6 string',
    fragment: '7 bool',
    events: '11 repeated Event',
  },
  LeaseGrantRequest: { TTL: '1 int64', ID: '2 bigint64' },
  LeaseGrantResponse: { header: '1 ResponseHeader', ID: '2 bigint64', TTL: '3 int64', error: '4 string' },
  StatusRequest: {},
  StatusResponse: {
    header: '1 ResponseHeader',
    version: '2 string',
    dbSize: '3 int64',
    leader: '4 biguint64',
    raftIndex: '5 uint64',
    raftTerm: '6 uint64',
    raftAppliedIndex: '7 uint64',
    errors: '8 repeated string',
    dbSizeInUse: '9 int64',
    isLearner: '10 bool',
  },
  AuthenticateRequest: { name: '1 string', password: '2 string' },
  AuthenticateResponse: { header: '1 ResponseHeader', token: '2 string' },
} as const;

type EtcdMessages = typeof ETCD_MESSAGES;
/** A message as etcd sent it. */
export type EtcdAnswer<Name extends keyof EtcdMessages> = Decoded<EtcdMessages, Name>;
/** A message to send to etcd. */
export type EtcdRequest<Name extends keyof EtcdMessages> = Given<EtcdMessages, Name>;

const codec = new Codec(ETCD_MESSAGES);

/** For `Channel.unary`, but `watch` for `Channel.bidirectional`. */
export const Etcd = {
  range: method(codec, '/etcdserverpb.KV/Range', 'RangeRequest', 'RangeResponse'),
  put: method(codec, '/etcdserverpb.KV/Put', 'PutRequest', 'PutResponse'),
  deleteRange: method(codec, '/etcdserverpb.KV/DeleteRange', 'DeleteRangeRequest', 'DeleteRangeResponse'),
  txn: method(codec, '/etcdserverpb.KV/Txn', 'TxnRequest', 'TxnResponse'),
  compact: method(codec, '/etcdserverpb.KV/Compact', 'CompactionRequest', 'CompactionResponse'),
  watch: method(codec, '/etcdserverpb.Watch/Watch', 'WatchRequest', 'WatchResponse'),
  leaseGrant: method(codec, '/etcdserverpb.Lease/LeaseGrant', 'LeaseGrantRequest', 'LeaseGrantResponse'),
  status: method(codec, '/etcdserverpb.Maintenance/Status', 'StatusRequest', 'StatusResponse'),
  authenticate: method(codec, '/etcdserverpb.Auth/Authenticate', 'AuthenticateRequest', 'AuthenticateResponse'),
} as const;
