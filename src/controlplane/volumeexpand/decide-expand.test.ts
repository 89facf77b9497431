import { describe, expect, it } from 'vitest';
import type { PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { aClaim, aVolume } from '../../volume/makers.ts';
import { decideExpand, isSizeNews } from './decide-expand.ts';

const claim = (request: string, capacity: string) => {
  const plain = aClaim({ name: 'c', uid: 'u', size: request, volumeName: 'v', phase: 'Bound' });
  return { ...plain, status: { ...plain.status, capacity: { storage: capacity } } };
};
function volume(source: Partial<PersistentVolumeSpec> = {}, owner = 'c/u', annotations = {}) {
  const plain = aVolume({ name: 'v', claim: owner, phase: 'Bound', annotations });
  return { ...plain, spec: { ...plain.spec, ...source } };
}
const PRE_RESIZE = { 'volume.alpha.kubernetes.io/pre-resize-capacity': '1Gi' };
const EBS = { awsElasticBlockStore: { volumeID: 'vol-1' } };
const NOT_OURS = { type: 'fail', message: 'persistent Volume is not bound to PVC being updated : default/c' };

describe('what is to be done about the size of a claim', () => {
  it.each([
    ['P-VE-3 has what it asks for', claim('1Gi', '1Gi'), volume(), { type: 'nothing' }],
    ['P-VE-3 has more than it asks for', claim('1Gi', '2Gi'), volume(), { type: 'nothing' }],
    ['P-VE-3 no node step yet', claim('1Gi', '1Gi'), volume({}, 'c/u', PRE_RESIZE), { type: 'wait-for-external' }],
    ['P-VE-1 asks for more', claim('2Gi', '1Gi'), volume(), { type: 'wait-for-external' }],
    ['P-VE-4 the volume of another', claim('2Gi', '1Gi'), volume({}, 'c/other'), NOT_OURS],
    [
      'P-VE-2 a migrated plugin',
      claim('2Gi', '1Gi'),
      volume(EBS),
      { type: 'hand-over', plugin: 'kubernetes.io/aws-ebs', driver: 'ebs.csi.aws.com' },
    ],
  ])('%s -> decided so', (_situation, asked, has, expected) => {
    expect(decideExpand(asked, has)).toEqual(expected);
  });

  it.each([
    ['asks for more', claim('1Gi', '1Gi'), claim('2Gi', '1Gi'), true],
    ['asks for less', claim('3Gi', '1Gi'), claim('2Gi', '1Gi'), false],
    ['has more', claim('2Gi', '1Gi'), claim('2Gi', '2Gi'), true],
    ['the same, written otherwise', claim('1Gi', '1Gi'), claim('1024Mi', '1Gi'), false],
  ])('a claim that %s -> news: %s', (_situation, before, after, expected) => {
    expect(isSizeNews(before, after)).toBe(expected);
  });
});
