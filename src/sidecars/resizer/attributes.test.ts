// Server, driver and resizer alone: the attributes of a volume.
import { describe, expect, it } from 'vitest';
import { CLAIM, DRIVER, ResizeWorld, type ResizeWorldOptions } from '../../../test/resizer/resize-world.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';

async function world(
  options: ResizeWorldOptions = {},
  classes: readonly string[] = ['gold', 'iron'],
): Promise<ResizeWorld> {
  const run = new ResizeWorld(options);
  for (const name of classes) {
    await run.user.create(VolumeAttributesClasses, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: DRIVER,
      parameters: { tier: name },
    });
  }
  return await run.begin();
}
const want = (run: ResizeWorld, name: string | null): Promise<void> =>
  run.patchClaim({ spec: { volumeAttributesClassName: name } });
const parametersOf = (run: ResizeWorld): readonly unknown[] =>
  run.calls.map(({ request }) => ('mutableParameters' in request ? request.mutableParameters : undefined));
const eventsOf = async (run: ResizeWorld): Promise<readonly string[]> =>
  (await run.events()).map((text) => text.replace(` PersistentVolumeClaim/${CLAIM}`, ''));
const secondsOf = (run: ResizeWorld): readonly number[] => run.calls.map(({ at }) => Math.round(at));

describe('changing the attributes of a volume', () => {
  it('P-RZ-9 another class -> driver asked, volume first, then the claim, nothing left of the way', async () => {
    const run = await world();
    await want(run, 'gold');
    expect(parametersOf(run)).toEqual([{ tier: 'gold' }]);
    expect(run.writesOf(`external-resizer/${DRIVER}`).map(({ text }) => text)).toEqual([
      `patch persistentvolumeclaims ${CLAIM} status`,
      'patch persistentvolumes v',
      `patch persistentvolumeclaims ${CLAIM} status`,
    ]);
    const { currentVolumeAttributesClassName, modifyVolumeStatus, conditions } = (await run.claim()).status;
    expect([currentVolumeAttributesClassName, modifyVolumeStatus, conditions]).toEqual(['gold', undefined, undefined]);
    expect((await run.volume()).spec.volumeAttributesClassName).toBe('gold');
    expect(await eventsOf(run)).toEqual([
      'Normal VolumeModify x1: external resizer is modifying volume data with vac gold',
      'Normal VolumeModifySuccessful x1: external resizer modified volume data with vac gold successfully',
    ]);
  });

  it('P-RZ-9 no such class -> pending, without a target, and said once', async () => {
    const run = await world({}, []);
    await want(run, 'gold');
    await run.wait(60_000);
    expect((await run.claim()).status.modifyVolumeStatus).toEqual({ status: 'Pending' });
    expect([run.calls, await eventsOf(run)]).toEqual([
      [],
      ['Warning VolumeModifyFailed x1: VAC "gold" does not exist.'],
    ]);
  });

  it('P-RZ-9 INVALID_ARGUMENT -> infeasible with both conditions; another class -> at once', async () => {
    const run = await world();
    run.refusals = ['INVALID_ARGUMENT'];
    await want(run, 'gold');
    const { modifyVolumeStatus, conditions = [] } = (await run.claim()).status;
    expect(modifyVolumeStatus).toEqual({ status: 'Infeasible', targetVolumeAttributesClassName: 'gold' });
    expect(conditions.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      ['ModifyingVolume', undefined, 'Modifying volume to "gold" failed. Waiting for retry.'],
      ['ModifyVolumeError', 'InvalidArgument', 'no'],
    ]);
    expect(await eventsOf(run)).toContain('Warning VolumeModifyFailed x1: rpc error: code = InvalidArgument desc = no');
    await run.wait(60_000);
    expect(run.calls).toHaveLength(1);
    run.refusals = [];
    await want(run, 'iron');
    expect((await run.claim()).status.currentVolumeAttributesClassName).toBe('iron');
  });

  it('P-RZ-9 a final error -> in progress, tried again after 1, 2, 4 s', async () => {
    const run = await world();
    run.refusals = ['INTERNAL'];
    await want(run, 'gold');
    await run.wait(8000);
    expect(secondsOf(run)).toEqual([0, 1, 3, 7]);
    expect((await run.claim()).status.modifyVolumeStatus?.status).toBe('InProgress');
  });

  it('P-RZ-9 uncertain, then another class -> the first one is finished before', async () => {
    const run = await world();
    run.refusals = ['UNAVAILABLE'];
    await want(run, 'gold');
    const still = 'rpc error: code = Unavailable desc = no. Still modifying to VAC gold';
    expect(await eventsOf(run)).toContain(`Warning VolumeModifyFailed x1: ${still}`);
    run.refusals = ['UNAVAILABLE', undefined];
    await want(run, 'iron');
    await run.wait(10_000);
    expect(parametersOf(run).map((each) => (each as { tier: string }).tier)).toEqual(['gold', 'gold', 'gold', 'iron']);
    expect((await run.claim()).status.currentVolumeAttributesClassName).toBe('iron');
  });

  it('P-RZ-9 left in the middle by another process -> finished with the same class', async () => {
    const modifyVolumeStatus = { status: 'InProgress', targetVolumeAttributesClassName: 'gold' };
    const run = await world({ claim: { attributesClass: 'iron', status: { modifyVolumeStatus } } });
    await run.wait(1000);
    expect(parametersOf(run)).toEqual([{ tier: 'gold' }, { tier: 'iron' }]);
  });

  it('P-RZ-9 given up after a refusal -> told, and no longer under way', async () => {
    const run = await world();
    run.refusals = ['INVALID_ARGUMENT'];
    await want(run, 'gold');
    await want(run, null);
    await run.wait(5000);
    expect(await eventsOf(run)).toContain('Normal VolumeModifyCanceled x1: Cancelled modify.');
    const { conditions = [] } = (await run.claim()).status;
    expect(conditions.map(({ type }) => type)).toEqual(['ModifyVolumeError']);
  });

  it('P-RZ-8 secret of the volume and names -> go to the driver', async () => {
    const annotations = {
      'volume.kubernetes.io/controller-modify-secret-name': 's',
      'volume.kubernetes.io/controller-modify-secret-namespace': 'default',
    };
    const run = await world({ volume: { annotations }, settings: { extraModifyMetadata: true } });
    const metadata = { name: 's', namespace: 'default' };
    await run.user.create(Secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: { key: btoa('open') } });
    await want(run, 'gold');
    expect(run.calls.map(({ request }) => request)).toEqual([
      {
        volumeId: 'vol-1',
        secrets: { key: 'open' },
        mutableParameters: {
          tier: 'gold',
          'csi.storage.k8s.io/pvc/name': 'data',
          'csi.storage.k8s.io/pvc/namespace': 'default',
          'csi.storage.k8s.io/pv/name': 'v',
        },
      },
    ]);
  });

  it('P-RZ-2 a driver that cannot change volumes -> nothing is done', async () => {
    const run = await world({ driver: { capabilities: { controller: ['EXPAND_VOLUME'] } } });
    await want(run, 'gold');
    await run.wait(60_000);
    expect([run.calls, await run.events()]).toEqual([[], []]);
  });
});
