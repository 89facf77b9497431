// The world of `mooring up` in this process, on a virtual clock: a server with access control, in memory, whose world can be
// ended and begun again.
import { AccessControl } from '../../src/apiserver/access-control.ts';
import { defaultAdmission } from '../../src/apiserver/admission/plugins.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import type { AuditEntry } from '../../src/apiserver/audit.ts';
import { loadCel } from '../../src/apiserver/http/cel/cel.ts';
import { LocalClusterAccess } from '../../src/apiserver/local-access.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { tableStrategies } from '../../src/apiserver/registry/table-kinds.ts';
import { type MemoryJournal, openMemory } from '../../src/apiserver/storage/memory/memory.ts';
import type { Storage } from '../../src/apiserver/storage/storage.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { CHAOS, identityPolicy } from '../../src/cli/identities.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { type KubeObject, type Resource, keyFrom } from '../../src/kube/object.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { type ChaoticWorld, chaoticWorld } from '../../src/simulation/chaos/chaotic-world.ts';
import type { EmbeddedWorldOptions } from '../../src/worlds/embedded.ts';
import { type ClusterSize, embeddedShape } from '../../src/worlds/embedded-shape.ts';
import { SIMULATION_STARTS_AT } from '../../src/worlds/simulated.ts';
import { WrittenClaims } from '../../src/worlds/written-claims.ts';

export const ADMIN = { name: 'admin', groups: ['system:masters'] };
const STRATEGIES = defaultStrategies();
const NO_TOKENS = { sign: () => '', verify: () => undefined };

export const DEFAULT_SIZE: ClusterSize = { nodes: 3, zones: 2 };

/** What stands around a component before any fault does. */
interface Seams extends Pick<EmbeddedWorldOptions, 'wrapClock'> {
  /** What makes writes last; nothing where it is missing. */
  readonly journal?: MemoryJournal;
}

export class EmbeddedRun {
  readonly clock = new SteppedClock(SIMULATION_STARTS_AT);
  readonly random = new SeededRandom(1);
  readonly store: ObjectStore;
  readonly storage: Storage | undefined;
  readonly claims = new WrittenClaims();
  readonly refused: AuditEntry[] = [];
  readonly errors: string[] = [];
  readonly logged: string[] = [];
  readonly server: ApiServer;
  readonly #access: AccessControl;
  readonly #seams: Seams;
  readonly #size: ClusterSize;
  #chaotic: ChaoticWorld | undefined;

  private constructor(rules: Awaited<ReturnType<typeof loadCel>>, size: ClusterSize, seams: Seams) {
    this.#size = size;
    this.#seams = seams;
    const { journal } = seams;
    const kept = journal === undefined ? undefined : openMemory(journal, silentLog);
    this.store = kept?.store ?? new ObjectStore();
    this.storage = kept?.storage;
    const { clock, random, store, storage } = this;
    this.#access = new AccessControl({ clock, random, store, signer: NO_TOKENS });
    this.server = new ApiServer({
      clock,
      random,
      store,
      ...(storage === undefined ? {} : { storage }),
      rules,
      strategies: [...STRATEGIES, ...tableStrategies(STRATEGIES)],
      admission: [
        ...defaultAdmission({ serviceAccount: { type: 'mounted', random: random.fork('accounts') } }),
        ...this.#access.admission,
      ],
      authorizer: this.#access.authorizer,
      posted: this.#access.posted,
      audit: { record: (entry) => void (entry.code === 403 && this.refused.push(entry)) },
      expiresEvents: true,
      onCommit: (commit) => this.claims.committed(commit),
    });
  }

  static async begin(size: ClusterSize = DEFAULT_SIZE, seams: Seams = {}): Promise<EmbeddedRun> {
    const run = new EmbeddedRun(await loadCel(), size, seams);
    await run.server.bootstrapStorage();
    await run.#access.reconcile(run.server, identityPolicy());
    await run.#launch();
    await run.chaotic.world.furnish();
    return run;
  }

  get chaotic(): ChaoticWorld {
    if (this.#chaotic === undefined) throw new Error('the world has not begun');
    return this.#chaotic;
  }

  /** As after a kill: nothing is left but what the store holds. */
  async killAndStartAgain(): Promise<void> {
    this.chaotic.world.stop();
    await this.#launch();
  }

  async #launch(): Promise<void> {
    const { clock, random, store, storage, server, claims } = this;
    const log: Log = {
      write: (level, message) => {
        this.logged.push(message);
        if (level === 'error') this.errors.push(message);
      },
    };
    const shape = embeddedShape(this.#size);
    const served = { server, store, storage, clock, random, rootCa: 'PEM', log };
    const { journal: _, ...seams } = this.#seams;
    this.#chaotic = chaoticWorld({ ...served, ...seams, shape, claimChanges: claims });
    this.#chaotic.world.start();
    await this.#chaotic.startChaos(CHAOS);
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advanceTo(this.clock.now() + ms);
  }

  as(user: { readonly name: string; readonly groups: readonly string[] }): Cluster {
    const { server, clock } = this;
    return new LocalClusterAccess({ server, clock, groupsOf: () => user.groups }).as(user.name);
  }

  apply(resource: Resource<KubeObject>, object: KubeObject): void {
    this.server.handle({ verb: 'create', resource, namespace: 'default', object }, ADMIN);
  }

  delete(resource: Resource<KubeObject>, name: string): void {
    this.server.handle({ verb: 'delete', resource, key: keyFrom('default', name) }, ADMIN);
  }

  get pods(): readonly string[] {
    const pods = this.store.all(Pods) as readonly Pod[];
    return pods.map(({ metadata, status }) => `${metadata.name} ${status.phase} ${readiness(status.conditions)}`);
  }

  count(resource: Resource<KubeObject>): number {
    return this.store.all(resource).length;
  }
}

const readiness = (conditions: Pod['status']['conditions']): string =>
  conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
