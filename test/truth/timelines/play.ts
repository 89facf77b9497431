// Plays a recorded outage in the simulated world: the same workloads, the same phase of the failing node's lease, the same
// actions at the same times, and gathers the same milestones.
import { SECOND_MS } from '../../../src/base/clock.ts';
import { SeededRandom } from '../../../src/base/random.ts';
import type { Commit } from '../../../src/apiserver/apiserver.ts';
import { isOf } from '../../../src/kube/object.ts';
import { Leases } from '../../../src/kube/resources/lease.ts';
import { Nodes } from '../../../src/kube/resources/node.ts';
import { Pods } from '../../../src/kube/resources/pod.ts';
import { stageOf } from '../../../src/simulation/fault-stage.ts';
import { ActiveFaults } from '../../../src/simulation/faults/active-faults.ts';
import type { Fault } from '../../../src/simulation/faults/fault.ts';
import type { ClusterShape } from '../../../src/worlds/cluster-shape.ts';
import { DEFAULT_PROFILE } from '../../../src/worlds/profiles.ts';
import { SIMULATION_STARTS_AT, SimulatedWorld } from '../../../src/worlds/simulated.ts';
import { Diary } from './diary.ts';
import { CLASS, DRIVER, manifestsOf } from './recorded-workloads.ts';
import type { Action, Milestones, Recording, Workload } from './recording.ts';

const SETUP_MS = 120 * SECOND_MS;
export interface Played {
  /** The last renewal of the failing node's lease, where it differs from the recorded one. */
  readonly lastLeaseRenewal?: number;
  readonly node: Milestones;
  readonly workloads: Readonly<Record<string, Workload>>;
  readonly end: Recording['end'];
}

type Manner = Pick<ClusterShape, 'tickless'>;

export async function playRecording(recording: Recording, seed: number, manner: Manner = {}): Promise<Played> {
  return new Stage(recording, seed, manner).play();
}

class Stage {
  readonly #recording: Recording;
  readonly #faults: ActiveFaults;
  readonly #world: SimulatedWorld;
  readonly #diary: Diary;
  #renewedAt = 0;

  constructor(recording: Recording, seed: number, manner: Manner) {
    this.#recording = recording;
    this.#diary = new Diary(recording);
    this.#faults = new ActiveFaults({
      stage: () => stageOf(this.#world),
      random: new SeededRandom(seed).fork('faults'),
    });
    this.#world = new SimulatedWorld({
      shape: { ...shapeOf(recording), ...manner },
      seed,
      aroundDriver: this.#faults.aroundDriver,
      wrapAccess: (access) => this.#faults.wrapAccess(access),
      wrapClock: (clock, component, node) => this.#faults.clockOf(clock, component, node),
      onCommit: (commit) => this.#committed(commit),
    });
  }

  #committed(commit: Commit): void {
    const object = commit.after ?? commit.before;
    if (object === undefined) return;
    if (isOf(Leases, object) && object.metadata.name === this.#recording.failingNode)
      this.#renewedAt = this.#world.clock.now();
    this.#diary.note(commit, this.#world.clock.now());
  }

  async play(): Promise<Played> {
    const { failingNode, lastLeaseRenewal, actions, end } = this.#recording;
    const world = this.#world;
    try {
      world.start();
      await world.advanceTo(SIMULATION_STARTS_AT + 10 * SECOND_MS);
      for (const { resource, draft } of manifestsOf(this.#recording))
        await world.until(world.as('operator').create(resource, draft), SECOND_MS);
      await world.advanceTo(SIMULATION_STARTS_AT + SETUP_MS);
      await this.#untilRenewal();
      const zero = this.#renewedAt - lastLeaseRenewal * SECOND_MS;
      await world.advanceTo(zero);
      this.#diary.begin(zero);
      for (const action of actions) {
        await world.advanceTo(zero + action.t * SECOND_MS);
        await this.#act(action, failingNode);
      }
      await world.advanceTo(zero + end.t * SECOND_MS);
      return { ...this.#diary.read(), end: { t: end.t, ...this.#diary.endState() } };
    } finally {
      world.dispose();
    }
  }

  async #untilRenewal(): Promise<void> {
    const { clock } = this.#world;
    const renewed = this.#renewedAt;
    while (this.#renewedAt === renewed) await clock.step(clock.now() + SECOND_MS);
  }

  readonly #partition: Fault = { type: 'partition', node: '', from: 'api' };

  async #act({ what }: Action, node: string): Promise<void> {
    const user = this.#world.as('operator');
    switch (what) {
      case 'crash':
        return this.#faults.begin({ type: 'node-crash', node });
      case 'partition':
        Object.assign(this.#partition, { node });
        return this.#faults.begin(this.#partition);
      case 'heal':
        return this.#faults.end(this.#partition);
      case 'taint': {
        const taints = [
          ...((await this.#world.until(user.get(Nodes, node), SECOND_MS)).spec.taints ?? []),
          { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' },
        ];
        return void (await this.#world.until(
          user.patch(Nodes, node, { type: 'merge', body: { spec: { taints } } }),
          SECOND_MS,
        ));
      }
      case 'force-delete':
        return void (await this.#world.until(
          user.delete(Pods, this.#diary.keyOfOld(), { gracePeriodSeconds: 0 }),
          SECOND_MS,
        ));
      case 'delete-node':
        return void (await this.#world.until(user.delete(Nodes, node), SECOND_MS));
      case 'drain': {
        // What kubectl takes to start, as recorded.
        await this.#world.advanceTo(this.#world.clock.now() + 0.7 * SECOND_MS);
        await this.#world.until(
          user.patch(Nodes, node, { type: 'merge', body: { spec: { unschedulable: true } } }),
          SECOND_MS,
        );
        const [namespace = '', name = ''] = this.#diary.keyOfOld().split('/');
        const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
        return void (await this.#world.until(user.post(Pods, this.#diary.keyOfOld(), 'eviction', eviction), SECOND_MS));
      }
      case 'drain-start':
        return undefined;
      default:
        throw new Error(`the player does not know how to ${String(what)}`);
    }
  }
}

/** The failing node shares its zone with one that stays, so that no zone is ever disrupted. */
function shapeOf({ failingNode }: Recording): ClusterShape {
  return {
    profile: DEFAULT_PROFILE,
    nodes: [
      { name: failingNode, zone: 'z1' },
      { name: 'keeper-1', zone: 'z1' },
      { name: 'keeper-2', zone: 'z1' },
      ...['b1', 'b2', 'b3'].map((name) => ({ name, zone: `z-${name}` })),
    ],
    drivers: [
      {
        driver: {
          name: DRIVER,
          capabilities: {
            controller: ['CREATE_DELETE_VOLUME', 'PUBLISH_UNPUBLISH_VOLUME'],
            node: ['STAGE_UNSTAGE_VOLUME'],
          },
        },
      },
    ],
    classes: [{ name: CLASS, provisioner: DRIVER, waitForFirstConsumer: true }],
    settings: {},
  };
}
