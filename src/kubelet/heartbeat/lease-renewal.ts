// The sign of life of a node: a lease renewed every ten seconds. component-helpers:apimachinery/lease/controller.go
import { type DurationMs, microTimestamp, SECOND_MS } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import type { SendUpdate } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import { type Lease, Leases } from '../../kube/resources/lease.ts';
import { Nodes } from '../../kube/resources/node.ts';
import type { ComponentContext } from '../../runtime/component.ts';
import { attempt } from '../../runtime/attempt.ts';
import { Beat } from './beat.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
/** A lease is renewed at a quarter of its duration. kubernetes:pkg/kubelet/kubelet.go */
const RENEW_FRACTION = 0.25;
/** Updates in a row before the next beat. */
const UPDATE_TRIES = 5;
const FIRST_RETRY_MS = 200;
const RETRY_MS_MAX: DurationMs = 7 * SECOND_MS;

export interface LeaseRenewalOptions {
  readonly context: ComponentContext;
  readonly nodeName: string;
  readonly leaseDurationSeconds: number;
  readonly firstPeriodMs?: DurationMs;
}

export class LeaseRenewal {
  readonly #options: LeaseRenewalOptions;
  readonly #beat: Beat;
  readonly #send: SendUpdate | undefined;
  /** As last written; undefined until it was. */
  #latest: Lease | undefined;

  constructor(options: LeaseRenewalOptions) {
    this.#options = options;
    const { cluster } = options.context;
    this.#send = cluster.sendUpdate?.bind(cluster);
    const { context, firstPeriodMs, leaseDurationSeconds } = options;
    this.#beat = new Beat({
      ...context,
      name: 'node lease',
      random: context.random.fork('node lease'),
      periodMs: leaseDurationSeconds * SECOND_MS * RENEW_FRACTION,
      ...(firstPeriodMs === undefined ? {} : { firstPeriodMs }),
      pass: () => this.#pass(),
    });
  }

  start(): void {
    this.#beat.start();
  }

  /** The first try is made without a promise where that can be: nearly all renewals end with it. */
  #pass(): Promise<void> | undefined {
    const latest = this.#latest;
    if (latest === undefined || this.#send === undefined) return this.#renew();
    this.#send(Leases, this.#renewed(latest), (answer) => {
      if ('error' in answer) return this.#beat.endsWith(this.#tryAgain(latest, answer.error));
      this.#latest = answer.object;
      return this.#beat.ended();
    });
    return undefined;
  }

  async #tryAgain(base: Lease, error: unknown): Promise<void> {
    if (!isApiError(error)) throw error;
    const current = isApiError(error, 'Conflict') ? (await this.#ensurePatiently()).lease : base;
    if (!(await this.#retryUpdate(current, 1))) await this.#renewAnew();
  }

  async #renew(): Promise<void> {
    if (this.#latest !== undefined && (await this.#retryUpdate(this.#latest))) return;
    await this.#renewAnew();
  }

  async #renewAnew(): Promise<void> {
    const ensured = await this.#ensurePatiently();
    this.#latest = ensured.lease;
    if (ensured.lease !== undefined && !ensured.created) await this.#retryUpdate(ensured.lease);
  }

  /** Whether one of the tries was taken. */
  async #retryUpdate(base: Lease | undefined, triesBefore = 0): Promise<boolean> {
    let current = base;
    for (let tries = triesBefore; tries < UPDATE_TRIES && current !== undefined; tries++) {
      const lease = this.#renewed(current);
      const updated = await attempt(() => this.#options.context.cluster.update(Leases, lease));
      if (!updated.failed) {
        this.#latest = updated.value;
        return true;
      }
      if (isApiError(updated.error, 'Conflict')) current = (await this.#ensurePatiently()).lease;
    }
    return false;
  }

  #renewed(lease: Lease): Lease {
    return { ...lease, spec: { ...lease.spec, ...this.#terms() } };
  }

  #terms(): { readonly leaseDurationSeconds: number; readonly renewTime: string } {
    const { context, leaseDurationSeconds } = this.#options;
    return { leaseDurationSeconds, renewTime: microTimestamp(context.clock.now()) };
  }

  async #ensurePatiently(): Promise<EnsuredLease> {
    const { clock, signal } = this.#options.context;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      const ensured = await attempt(() => this.#ensure());
      if (!ensured.failed) return ensured.value;
      await clock.sleep(waitMs, signal, { background: true });
    }
  }

  async #ensure(): Promise<EnsuredLease> {
    const { context, nodeName } = this.#options;
    const { cluster } = context;
    const found = await attempt(() => cluster.get(Leases, `${LEASE_NAMESPACE}/${nodeName}`));
    if (!found.failed) return { lease: found.value, created: false };
    if (found.error.reason !== 'NotFound') throw found.error;
    // A lease without its node would outlive it: before the node is registered there is none.
    const node = await attempt(() => cluster.get(Nodes, nodeName));
    if (node.failed) return { lease: undefined, created: false };
    const lease = await cluster.create(Leases, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: nodeName, namespace: LEASE_NAMESPACE, ownerReferences: [ownerReferenceTo(node.value)] },
      spec: { holderIdentity: nodeName, ...this.#terms() },
    });
    return { lease, created: true };
  }
}

interface EnsuredLease {
  readonly lease: Lease | undefined;
  readonly created: boolean;
}
