// The world of `mooring up` on a virtual clock: every component with the rights of its user and no more.
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../src/base/clock.ts';
import { EXAMPLE } from '../../src/cli/example.ts';
import type { KubeObject } from '../../src/kube/object.ts';
import {
  type PersistentVolumeClaim,
  PersistentVolumeClaims,
} from '../../src/kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../src/kube/resources/persistent-volume.ts';
import { Pods } from '../../src/kube/resources/pod.ts';
import { type ResourceQuota, ResourceQuotas } from '../../src/kube/resources/resource-quota.ts';
import { StatefulSets } from '../../src/kube/resources/stateful-set.ts';
import { VolumeAttachments } from '../../src/kube/resources/volume-attachment.ts';
import { ADMIN, DEFAULT_SIZE, EmbeddedRun } from './embedded-run.ts';

const statefulSet = (): KubeObject =>
  parseAllDocuments(EXAMPLE)
    .map((document) => document.toJS() as KubeObject)
    .find(({ kind }) => kind === 'StatefulSet') ?? expect.fail('the example has a StatefulSet');

describe('the world of mooring up', () => {
  test('P-UP-6 a StatefulSet made, killed under, grown and deleted -> it works, and no component asks for more than it may', async () => {
    const run = await EmbeddedRun.begin();
    await run.pass(10 * SECOND_MS);
    run.apply(StatefulSets, statefulSet());
    await run.pass(MINUTE_MS);
    expect(run.pods).toEqual(['db-0 Running True', 'db-1 Running True']);
    await run.killAndStartAgain();
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

  test('P-WORLD-6 a component of which a part fails for good -> it starts anew, and does its work', async () => {
    const broken = (clock: Clock): Clock => ({
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: () => Promise.reject(new Error('the clock broke')),
      after: () => {
        throw new Error('the clock broke');
      },
    });
    let lives = 0;
    const run = await EmbeddedRun.begin(DEFAULT_SIZE, {
      wrapClock: (clock, component) => {
        if (component !== 'resourcequota-controller') return clock;
        lives++;
        return lives > 1 ? clock : broken(clock);
      },
    });
    await run.pass(SECOND_MS);
    const told = 'resourcequota-controller crashed and is started again in 10 s: the clock broke';
    expect(run.logged.filter((line) => line.includes('crashed'))).toEqual([told]);
    await run.pass(10 * SECOND_MS);
    await run.as(ADMIN).create(ResourceQuotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { pods: '5' } },
    });
    await run.pass(SECOND_MS);
    const charged = run.store.get(ResourceQuotas, 'default/q') as ResourceQuota | undefined;
    expect([lives, charged?.status.used]).toEqual([2, { pods: '0' }]);
  });
});
