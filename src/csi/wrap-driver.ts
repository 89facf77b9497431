// One place where every call to a driver can be seen, delayed, failed or dropped: the timeline, latency models, faults
// and deadlines of a world are each an `around`.
import type { CsiCall, CsiController, CsiDriver, CsiIdentity, CsiNode, Rpc } from './driver.ts';
import { CONTROLLER_RPCS, IDENTITY_RPCS, NODE_RPCS } from './rpc-names.ts';

export type CsiService = 'Identity' | 'Controller' | 'Node';

export interface DriverCall {
  readonly driver: string;
  readonly service: CsiService;
  /** As upstream spells it: `CreateVolume`, `NodeStageVolume`. */
  readonly rpc: string;
  readonly request: unknown;
  /** The node whose service was called; absent for the identity and controller services. */
  readonly nodeName?: string;
  readonly options: CsiCall;
}
/** Hands the call on to the driver, under other options if given. May be called never, once or again. */
export type Proceed = (options?: CsiCall) => Promise<unknown>;
export type Around = (call: DriverCall, proceed: Proceed) => Promise<unknown>;

type AnyRpc = Rpc<unknown, unknown>;
type Place = Pick<DriverCall, 'driver' | 'service' | 'nodeName'>;

export function wrapDriver(driver: CsiDriver, around: Around): CsiDriver {
  const place = { driver: driver.name };
  return {
    name: driver.name,
    identity: wrapService<CsiIdentity>(IDENTITY_RPCS, driver.identity, { ...place, service: 'Identity' }, around),
    controller: wrapService<CsiController>(
      CONTROLLER_RPCS,
      driver.controller,
      { ...place, service: 'Controller' },
      around,
    ),
    nodeService: (nodeName) =>
      wrapService<CsiNode>(NODE_RPCS, driver.nodeService(nodeName), { ...place, service: 'Node', nodeName }, around),
  };
}

// The services are wrapped by name, which loses the pairing of request and response types: the casts restore it. An
// `around` that answers something else than the RPC's response breaks the contract, as a driver would.
function wrapService<S extends object>(
  names: readonly (keyof S & string)[],
  service: S,
  place: Place,
  around: Around,
): S {
  const wrapped = names.map((name): [string, AnyRpc] => {
    const rpc = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return [
      name,
      (request, options) => {
        const inner = service[name] as AnyRpc;
        return around({ ...place, rpc, request, options }, (other = options) => inner.call(service, request, other));
      },
    ];
  });
  return Object.fromEntries(wrapped) as S;
}
