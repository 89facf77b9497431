import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../base/random.ts';
import { SteppedClock } from '../../base/virtual-clock.ts';
import type { KubeObject } from '../../kube/object.ts';
import { type Lease, Leases } from '../../kube/resources/lease.ts';
import { ApiServer } from '../apiserver.ts';
import { ObjectStore } from '../objectstore/object-store.ts';
import { leaseStrategy } from './lease.ts';

const USER = { name: 'kubelet/n1', groups: [] };
const KEY = 'kube-node-lease/n1';
const LATER = '2026-01-05T08:00:10.000000Z';

function serverWithLease(): { readonly server: ApiServer; readonly lease: Lease } {
  const server = new ApiServer({
    clock: new SteppedClock(Date.UTC(2026, 0, 5, 8)),
    random: new SeededRandom(7),
    store: new ObjectStore(),
    strategies: [leaseStrategy],
    fieldTracking: 'from-first-apply',
  });
  const spec = { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-05T08:00:00.000000Z' };
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n1' }, spec };
  const namespace = 'kube-node-lease';
  const answer = server.handle({ verb: 'create', resource: Leases, namespace, object }, USER);
  return { server, lease: (answer.type === 'object' ? answer.object : expect.fail()) as Lease };
}

const update = (server: ApiServer, object: unknown): KubeObject => {
  const answer = server.handle({ verb: 'update', resource: Leases, key: KEY, object }, USER);
  return answer.type === 'object' ? answer.object : expect.fail('an object was expected');
};
const copied = (object: object): unknown => JSON.parse(JSON.stringify(object));

describe('a lease that comes back as it was given, with another time', () => {
  const sent: readonly [string, (lease: Lease) => object][] = [
    ['renewed', (lease) => ({ ...lease, spec: { ...lease.spec, renewTime: LATER } })],
    [
      'renewed in another way of writing',
      (lease) => ({ ...lease, spec: { ...lease.spec, renewTime: LATER.replace('Z', '+00:00') } }),
    ],
    [
      'renewed by another holder',
      (lease) => ({ ...lease, spec: { ...lease.spec, holderIdentity: 'n2', renewTime: LATER } }),
    ],
    ['with a field that leases lack', (lease) => ({ ...lease, more: 1, spec: { ...lease.spec, renewTime: LATER } })],
    ['not renewed', (lease) => ({ ...lease, spec: { ...lease.spec } })],
    ['without a time', ({ spec: { renewTime: _gone, ...spec }, ...lease }) => ({ ...lease, spec })],
  ];
  for (const [name, change] of sent) {
    it(`P-API-3 ${name} -> stored and told as any other update is`, () => {
      const [short, long] = [serverWithLease(), serverWithLease()];
      const told: unknown[][] = [[], []];
      for (const [index, { server }] of [short, long].entries()) {
        const event = (what: unknown): void => void told[index]?.push(what);
        server.watch(Leases, { resourceVersion: '1' }, USER, { event, closed: () => undefined });
      }
      const answers = [update(short.server, change(short.lease)), update(long.server, copied(change(long.lease)))];
      expect(answers[0]).toEqual(answers[1]);
      expect(told[0]).toEqual(told[1]);
      expect(Object.isFrozen(answers[0])).toBe(true);
    });
  }

  it('P-API-3 an older version of it -> Conflict', () => {
    const { server, lease } = serverWithLease();
    const renewed = { ...lease, spec: { ...lease.spec, renewTime: LATER } };
    update(server, renewed);
    expect(() =>
      update(server, { ...renewed, spec: { ...renewed.spec, renewTime: LATER.replace('10', '20') } }),
    ).toThrow(/the object has been modified/);
  });
});
