import { describe, expect, it } from 'vitest';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { claimForProvisioner, claimWithMigrationMark, volumeWithMarks } from './migration-marks.ts';
import { profileOf } from './profile.ts';

const GA = 'volume.kubernetes.io/storage-provisioner';
const BETA = 'volume.beta.kubernetes.io/storage-provisioner';
const TO = 'pv.kubernetes.io/migrated-to';
const IN_TREE = 'kubernetes.io/pv-controller';
const EXTERNAL = 'external-provisioner.volume.kubernetes.io/finalizer';
const profile = profileOf();

describe('P-PV-5 marks of a claim', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['no provisioner -> untouched', { [TO]: 'x' }, { [TO]: 'x' }],
    [
      'migrated plugin -> driver',
      { [GA]: 'kubernetes.io/aws-ebs' },
      { [GA]: 'kubernetes.io/aws-ebs', [TO]: 'ebs.csi.aws.com' },
    ],
    [
      'only the beta annotation -> counts',
      { [BETA]: 'kubernetes.io/gce-pd' },
      { [BETA]: 'kubernetes.io/gce-pd', [TO]: 'pd.csi.storage.gke.io' },
    ],
    ['no longer migrated -> removed', { [GA]: 'd.test', [TO]: 'x' }, { [GA]: 'd.test' }],
  ])('%s', (_name, before, after) => {
    expect(claimWithMigrationMark(aClaim({ annotations: before })).metadata.annotations).toEqual(after);
  });
  it('nothing to do -> the same object', () => {
    const claim = aClaim({ annotations: { [GA]: 'd.test' } });
    expect(claimWithMigrationMark(claim)).toBe(claim);
    expect(claimForProvisioner(claim, 'd.test')).toBe(claim);
  });
  it('T52 asked of a provisioner -> both annotations', () => {
    expect(claimForProvisioner(aClaim(), 'd.test').metadata.annotations).toEqual({ [GA]: 'd.test', [BETA]: 'd.test' });
  });
});

describe('P-PV-5 marks of a volume', () => {
  const marked = (parts: Parameters<typeof aVolume>[0], version?: string) =>
    volumeWithMarks(aVolume(parts), profileOf(version)).metadata;
  it('migrated -> driver, and our finalizer goes', () => {
    const metadata = marked({
      provisionedBy: 'kubernetes.io/aws-ebs',
      policy: 'Delete',
      finalizers: [IN_TREE, EXTERNAL],
    });
    expect(metadata.annotations?.[TO]).toBe('ebs.csi.aws.com');
    expect(metadata.finalizers).toEqual([EXTERNAL]);
  });
  it('in-tree with Delete -> our finalizer comes, the external one goes', () => {
    expect(marked({ provisionedBy: 'kubernetes.io/x', policy: 'Delete', finalizers: [EXTERNAL] }).finalizers).toEqual([
      IN_TREE,
    ]);
    expect(marked({ provisionedBy: 'kubernetes.io/x', policy: 'Delete' }, '1.30').finalizers).toBeUndefined();
  });
  it.each(['Retain', 'Recycle'])('in-tree with %s -> our finalizer goes', (policy) => {
    expect(marked({ provisionedBy: 'kubernetes.io/x', policy, finalizers: [IN_TREE] }).finalizers).toBeUndefined();
  });
  it('provisioned outside, or by hand -> the same object', () => {
    for (const parts of [{ provisionedBy: 'd.test', finalizers: [IN_TREE] }, { finalizers: [IN_TREE] }]) {
      const volume = aVolume({ ...parts, policy: 'Delete' });
      expect(volumeWithMarks(volume, profile)).toBe(volume);
    }
  });
});

describe('profileOf', () => {
  it('text of ExternalProvisioning by version', () => {
    expect(profileOf('1.36.3').externalProvisioning('d')).toMatch(
      /^Waiting for a volume to be created either by the external provisioner 'd' or /,
    );
    expect(profileOf('v1.27.4').externalProvisioning('d')).toBe(
      'waiting for a volume to be created, either by external provisioner "d" or manually created by system administrator',
    );
  });
  it('no version -> error', () => expect(() => profileOf('latest')).toThrow('not a Kubernetes version: latest'));
});
