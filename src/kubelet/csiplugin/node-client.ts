// One operation's calls to the node service of a driver. All calls of an operation share one deadline, and what the driver
// can do is asked anew before every use, as the real kubelet does: a driver that died in between is noticed there, before
// the call whose outcome would then be uncertain.
// kubernetes:pkg/volume/csi/csi_client.go
import { Aborted, type DurationMs, MINUTE_MS } from '../../base/clock.ts';
import { csiAccessMode } from '../../csi/access-mode.ts';
import type { AccessMode, CsiCall, CsiNode, NodeCapability, Rpc } from '../../csi/driver.ts';
import type { CsiServices, OperationTurn } from './csi-services.ts';

/** kubernetes:pkg/volume/csi/csi_plugin.go csiTimeout */
export const CSI_OPERATION_TIMEOUT_MS: DurationMs = 2 * MINUTE_MS;

export class NodeClient {
  readonly #service: CsiNode;
  readonly #services: CsiServices;
  readonly #turn: OperationTurn;
  readonly #startedAt: DurationMs;

  /** Throws an Error if the driver is not registered. */
  constructor(driver: string, services: CsiServices, turn: OperationTurn) {
    this.#service = services.drivers.nodeServiceOf(driver);
    this.#services = services;
    this.#turn = turn;
    this.#startedAt = services.clock.monotonic();
  }

  async supports(capability: NodeCapability): Promise<boolean> {
    const { capabilities } = await this.call((node) => node.nodeGetCapabilities, {});
    return capabilities.some(({ type }) => type === capability);
  }

  /** The CSI mode that stands for the first mode of a volume. */
  async accessModeOf(modes: readonly string[] | undefined): Promise<AccessMode> {
    const first = modes?.[0] ?? 'ReadWriteOnce';
    const found = csiAccessMode([first], await this.supports('SINGLE_NODE_MULTI_WRITER'));
    return found.type === 'mode' ? found.mode : 'UNKNOWN';
  }

  /** After the process has ended no answer counts any more. */
  async call<Q, A>(rpcOf: (node: CsiNode) => Rpc<Q, A>, request: Q): Promise<A> {
    const { signal, reason } = this.#turn;
    const elapsedMs = this.#services.clock.monotonic() - this.#startedAt;
    const options: CsiCall = { signal, deadlineMs: Math.max(0, CSI_OPERATION_TIMEOUT_MS - elapsedMs), reason };
    const answer = await settled(rpcOf(this.#service)(request, options));
    if (signal.aborted) throw new Aborted();
    if (answer.type === 'error') throw answer.error;
    return answer.value;
  }
}

type Settled<A> = { readonly type: 'value'; readonly value: A } | { readonly type: 'error'; readonly error: unknown };

async function settled<A>(promise: Promise<A>): Promise<Settled<A>> {
  try {
    return { type: 'value', value: await promise };
  } catch (error) {
    return { type: 'error', error };
  }
}
