// Faults as objects of the cluster of `mooring up`, on a virtual clock.
import { beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { isApiError } from '../../src/kube/api-error.ts';
import { type Event, Events } from '../../src/kube/resources/event.ts';
import { type Node, Nodes } from '../../src/kube/resources/node.ts';
import { type FaultObject, type FaultSpec, Faults } from '../../src/simulation/chaos/fault-object.ts';
import { ADMIN, EmbeddedRun } from './embedded-run.ts';

const fault = (name: string, spec: FaultSpec) =>
  ({ apiVersion: 'chaos.mooring.dev/v1alpha1', kind: 'Fault', metadata: { name }, spec }) as const;

class Chaos {
  readonly run: EmbeddedRun;

  private constructor(run: EmbeddedRun) {
    this.run = run;
  }

  static async begin(): Promise<Chaos> {
    const run = await EmbeddedRun.begin();
    await run.pass(20 * SECOND_MS);
    return new Chaos(run);
  }

  async make(name: string, spec: FaultSpec): Promise<void> {
    await this.run.as(ADMIN).create(Faults, fault(name, spec));
    await this.run.pass(10);
  }

  async clear(name: string): Promise<void> {
    await this.run.as(ADMIN).delete(Faults, name);
    await this.run.pass(10);
  }

  /** `name state target: message` */
  get told(): readonly string[] {
    const objects = this.run.store.all(Faults) as readonly FaultObject[];
    return objects.map(({ metadata, status }) =>
      `${metadata.name} ${status?.state ?? ''} ${status?.target ?? ''}: ${status?.message ?? ''}`.trim(),
    );
  }

  get inForce(): readonly string[] {
    return [...this.run.chaotic.faults.active].map(({ type }) => type);
  }

  readiness(name: string): string {
    const node = this.run.store.get(Nodes, name) as Node | undefined;
    return node?.status.conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
  }

  get events(): readonly string[] {
    const events = this.run.store.all(Events) as readonly Event[];
    return events
      .filter(({ source }) => source.component === 'chaos')
      .map(
        ({ involvedObject, reason, message }) => `${involvedObject.kind}/${involvedObject.name} ${reason}: ${message}`,
      );
  }
}

describe('faults as objects', () => {
  test('P-CHAOS-1 made -> it begins; deleted -> it ends; both are events of the fault and of its node', async () => {
    const chaos = await Chaos.begin();
    await chaos.make('dark', { type: 'node-crash', node: 'node-a' });
    expect(chaos.told).toEqual(['dark Active node-a:']);
    await chaos.run.pass(MINUTE_MS);
    expect([chaos.readiness('node-a'), chaos.readiness('node-b')]).toEqual(['Unknown', 'True']);
    expect(chaos.run.chaotic.faults.isReachable('node-a')).toBe(false);
    await chaos.clear('dark');
    expect([chaos.told, chaos.inForce]).toEqual([[], []]);
    expect(chaos.run.chaotic.faults.isReachable('node-a')).toBe(true);
    await chaos.run.pass(20 * SECOND_MS);
    expect(chaos.readiness('node-a')).toBe('True');
    expect(chaos.events.toSorted()).toEqual([
      'Fault/dark FaultBegan: node-crash of node-a begins',
      'Fault/dark FaultEnded: node-crash of node-a ends: it was deleted',
      'Node/node-a FaultBegan: node-crash of node-a begins',
      'Node/node-a FaultEnded: node-crash of node-a ends: it was deleted',
    ]);
    expect([chaos.run.refused, chaos.run.errors]).toEqual([[], []]);
  });

  test('P-CHAOS-2 with a duration -> it ends by itself, and goes from the list after an hour', async () => {
    const chaos = await Chaos.begin();
    await chaos.make('slow', { type: 'csi-slow', call: 'NodeStageVolume', by: '5s', duration: '2m' });
    await chaos.run.pass(2 * MINUTE_MS - SECOND_MS);
    expect(chaos.inForce).toEqual(['csi-slow']);
    await chaos.run.pass(SECOND_MS);
    expect([chaos.told, chaos.inForce]).toEqual([['slow Ended NodeStageVolume: its time is over'], []]);
    await chaos.run.pass(HOUR_MS);
    expect(chaos.told).toEqual([]);
  });

  test('P-CHAOS-2 a node that returns -> ends what kept it away, and nothing else', async () => {
    const chaos = await Chaos.begin();
    await chaos.make('cut', { type: 'partition', node: 'node-b', from: 'both' });
    await chaos.make('full', { type: 'disk-full', node: 'node-b' });
    await chaos.make('dark', { type: 'node-crash', node: 'node-a' });
    await chaos.make('back', { type: 'node-return', node: 'node-b' });
    expect(chaos.inForce).toEqual(['disk-full', 'node-crash']);
    expect(chaos.told.toSorted()).toEqual([
      'back Ended node-b: it is done',
      'cut Ended node-b from api and storage: the node returned',
      'dark Active node-a:',
      'full Active node-b:',
    ]);
  });

  test('P-CHAOS-3 a component or a whole program restarts -> done at once, and the others go on', async () => {
    const chaos = await Chaos.begin();
    const killed: string[] = [];
    const { world } = chaos.run.chaotic;
    const kill = world.kill.bind(world);
    world.kill = (name) => {
      killed.push(name);
      kill(name);
    };
    await chaos.make('one', { type: 'component-restart', component: 'attachdetach-controller' });
    expect(killed).toEqual(['attachdetach-controller']);
    await chaos.make('all', { type: 'component-restart', component: 'kubelet' });
    expect(killed.slice(1)).toEqual(['kubelet/node-a', 'kubelet/node-b', 'kubelet/node-c']);
    expect(chaos.told.toSorted()).toEqual([
      'all Ended kubelet: it is done',
      'one Ended attachdetach-controller: it is done',
    ]);
    await chaos.run.pass(2 * MINUTE_MS);
    expect(['node-a', 'node-b', 'node-c'].map((node) => chaos.readiness(node))).toEqual(['True', 'True', 'True']);
    expect(chaos.run.errors).toEqual([]);
  });

  test('P-CHAOS-4 the process starts again -> what is in force is begun again, what ran out meanwhile is not', async () => {
    const chaos = await Chaos.begin();
    await chaos.make('dark', { type: 'node-crash', node: 'node-a' });
    await chaos.make('short', { type: 'node-freeze', node: 'node-b', duration: '30s' });
    await chaos.make('once', { type: 'component-restart', component: 'default-scheduler' });
    chaos.run.chaotic.world.stop();
    await chaos.run.pass(MINUTE_MS);
    await chaos.run.killAndStartAgain();
    await chaos.run.pass(SECOND_MS);
    expect(chaos.inForce).toEqual(['node-crash']);
    expect(chaos.told).toContain('short Ended node-b: its time was over before the cluster came back');
    expect(chaos.told).toContain('once Ended default-scheduler: it is done');
    await chaos.clear('dark');
    expect(chaos.inForce).toEqual([]);
  });

  const WRONG: readonly (readonly [FaultSpec, RegExp])[] = [
    [{ type: 'node-crash' }, /a node-crash fault needs "node"/],
    [{ type: 'node-crash', node: 'node-x' }, /spec\.node: Unsupported value: "node-x": supported values: "node-a"/],
    [{ type: 'node-crash', node: 'node-a', by: '5s' }, /"by" means nothing to a node-crash fault/],
    [{ type: 'explode', node: 'node-a' }, /spec\.type: Unsupported value: "explode"/],
    [{ type: 'csi', call: 'NodeStageVolume' }, /a csi fault needs "code"/],
    [{ type: 'csi-hang', call: 'Stage' }, /spec\.call: Unsupported value: "Stage"/],
    [{ type: 'csi-hang', call: 'NodeStageVolume', driver: 'x' }, /spec\.driver: .*"disk\.mooring\.dev"/],
    [{ type: 'csi-slow', call: 'NodeStageVolume', by: 'soon' }, /spec\.by: Invalid value/],
    [{ type: 'component-crash', component: 'nobody' }, /spec\.component: Unsupported value: "nobody"/],
    [{ type: 'api-error', actor: 'kubelet/node-a', reason: 'Conflict', probability: 2 }, /less than or equal to 1/],
    [{ type: 'node-freeze', node: 'node-a', duration: '5 m' }, /spec\.duration: Invalid value: "5 m"/],
  ];
  let run: EmbeddedRun;
  beforeAll(async () => {
    run = await EmbeddedRun.begin();
  });
  test.each(WRONG)('P-CHAOS-5 %j -> refused by the server', async (spec, message) => {
    const refusal: unknown = await run
      .as(ADMIN)
      .create(Faults, fault('x', spec))
      .catch((error: unknown) => error);
    if (!isApiError(refusal, 'Invalid')) expect.fail(`made, or failed otherwise: ${String(refusal)}`);
    expect(refusal.message).toMatch(message);
  });

  test('P-CHAOS-5 a fault that is changed -> refused', async () => {
    const chaos = await Chaos.begin();
    await chaos.make('dark', { type: 'node-crash', node: 'node-a' });
    const patch = { type: 'merge', body: { spec: { node: 'node-b' } } } as const;
    await expect(chaos.run.as(ADMIN).patch(Faults, 'dark', patch)).rejects.toThrow('a fault stays what it is');
  });
});
