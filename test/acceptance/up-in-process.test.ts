// The world of `mooring up` on a virtual clock: every component with the rights of its user and no more.
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { AccessControl } from '../../src/apiserver/access-control.ts';
import { defaultAdmission } from '../../src/apiserver/admission/plugins.ts';
import { ApiServer } from '../../src/apiserver/apiserver.ts';
import type { AuditEntry } from '../../src/apiserver/audit.ts';
import { ObjectStore } from '../../src/apiserver/objectstore/object-store.ts';
import { defaultStrategies } from '../../src/apiserver/registry/strategies.ts';
import { tableStrategies } from '../../src/apiserver/registry/table-kinds.ts';
import { MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import type { Log } from '../../src/base/log.ts';
import { SeededRandom } from '../../src/base/random.ts';
import { SteppedClock } from '../../src/base/virtual-clock.ts';
import { identityPolicy } from '../../src/cli/identities.ts';
import { EXAMPLE } from '../../src/cli/example.ts';
import { type KubeObject, type Resource, keyFrom } from '../../src/kube/object.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { type Pod, Pods } from '../../src/kube/resources/pod.ts';
import { StatefulSets } from '../../src/kube/resources/stateful-set.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { EmbeddedWorld } from '../../src/worlds/embedded.ts';
import { embeddedShape } from '../../src/worlds/embedded-shape.ts';
import { SIMULATION_STARTS_AT } from '../../src/worlds/simulated.ts';
import { WrittenClaims } from '../../src/worlds/written-claims.ts';

const ADMIN = { name: 'admin', groups: ['system:masters'] };
const STRATEGIES = defaultStrategies();
const NO_TOKENS = { sign: () => '', verify: () => undefined };

/** A server with access control, in memory, whose world can be ended and begun again. */
class Run {
  readonly clock = new SteppedClock(SIMULATION_STARTS_AT);
  readonly random = new SeededRandom(1);
  readonly store = new ObjectStore();
  readonly claims = new WrittenClaims();
  readonly refused: AuditEntry[] = [];
  readonly errors: string[] = [];
  readonly server: ApiServer;
  readonly #access: AccessControl;
  #world: EmbeddedWorld | undefined;

  constructor() {
    const { clock, random, store } = this;
    this.#access = new AccessControl({ clock, random, store, signer: NO_TOKENS });
    this.server = new ApiServer({
      clock,
      random,
      store,
      strategies: [...STRATEGIES, ...tableStrategies(STRATEGIES)],
      admission: [
        ...defaultAdmission({ serviceAccount: { type: 'mounted', random: random.fork('accounts') } }),
        ...this.#access.admission,
      ],
      authorizer: this.#access.authorizer,
      posted: this.#access.posted,
      audit: { record: (entry) => void (entry.code === 403 && this.refused.push(entry)) },
      onCommit: (commit) => this.claims.committed(commit),
    });
  }

  async begin(): Promise<void> {
    this.server.bootstrap();
    await this.#access.reconcile(this.server, identityPolicy());
    await this.#launch().furnish();
  }

  /** As after a kill: nothing is left but what the store holds. */
  killAndStartAgain(): void {
    this.#world?.stop();
    this.#launch();
  }

  #launch(): EmbeddedWorld {
    const { clock, random, store, server, claims } = this;
    const log: Log = {
      write: (level, message) => {
        if (level === 'error') this.errors.push(message);
      },
    };
    const shape = embeddedShape({ nodes: 3, zones: 2 });
    this.#world = new EmbeddedWorld({ shape, server, store, clock, random, rootCa: 'PEM', claimChanges: claims, log });
    this.#world.start();
    return this.#world;
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advanceTo(this.clock.now() + ms);
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

const statefulSet = (): KubeObject =>
  parseAllDocuments(EXAMPLE)
    .map((document) => document.toJS() as KubeObject)
    .find(({ kind }) => kind === 'StatefulSet') ?? expect.fail('the example has a StatefulSet');

describe('the world of mooring up', () => {
  test('P-UP-6 a StatefulSet made, killed under, grown and deleted -> it works, and no component asks for more than it may', async () => {
    const run = new Run();
    await run.begin();
    await run.pass(10 * SECOND_MS);
    run.apply(StatefulSets, statefulSet());
    await run.pass(MINUTE_MS);
    expect(run.pods).toEqual(['db-0 Running True', 'db-1 Running True']);
    run.killAndStartAgain();
    await run.pass(2 * MINUTE_MS);
    expect(run.pods).toEqual(['db-0 Running True', 'db-1 Running True']);
    run.server.handle(
      {
        verb: 'patch',
        resource: PersistentVolumeClaims,
        key: 'default/data-db-0',
        patch: { type: 'merge', body: { spec: { resources: { requests: { storage: '2Gi' } } } } },
      },
      ADMIN,
    );
    await run.pass(3 * MINUTE_MS);
    const claim = run.store.get(PersistentVolumeClaims, 'default/data-db-0') as PersistentVolumeClaim | undefined;
    expect(claim?.status.capacity?.['storage']).toBe('2Gi');
    run.delete(StatefulSets, 'db');
    for (const name of ['data-db-0', 'data-db-1']) run.delete(PersistentVolumeClaims, name);
    await run.pass(5 * MINUTE_MS);
    const left = [Pods, PersistentVolumeClaims, PersistentVolumes, VolumeAttachments].map((kind) => run.count(kind));
    expect(left).toEqual([0, 0, 0, 0]);
    expect(run.refused).toEqual([]);
    expect(run.errors).toEqual([]);
  });
});
