import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { VolumeAttributesClasses } from '../../kube/resources/volume-attributes-class.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { made, outcome, readerOf, requestOf } from './makers.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';

const BETA = 'volume.beta.kubernetes.io/storage-class';
const claim = (spec: object = {}, rest: object = {}) => made(PersistentVolumeClaims, { spec, ...rest });
const sized = (storage: string, phase = 'Bound', className = 'gold') =>
  claim({ storageClassName: className, resources: { requests: { storage } } }, { status: { phase } });

describe('DefaultStorageClass', () => {
  const standard = (name: string, day: string, mark = 'storageclass.kubernetes.io/is-default-class') =>
    made(StorageClasses, {
      metadata: { name, creationTimestamp: `2021-01-0${day}T00:00:00Z`, annotations: { [mark]: 'true' } },
      provisioner: 'p',
    });
  const plain = made(StorageClasses, {
    metadata: { name: 'plain', creationTimestamp: '2021-01-09T00:00:00Z' },
    provisioner: 'p',
  });

  it.each<[string, readonly KubeObject[], object, string | undefined]>([
    ['one default -> it', [plain, standard('a', '1')], {}, 'a'],
    ['the beta mark -> counts too', [standard('a', '1', 'storageclass.beta.kubernetes.io/is-default-class')], {}, 'a'],
    ['several defaults -> the newest', [standard('a', '1'), standard('b', '2')], {}, 'b'],
    ['several of one age -> the first by name', [standard('b', '1'), standard('a', '1')], {}, 'a'],
    ['no default -> none', [plain], {}, undefined],
    ['a class is named -> stays', [standard('a', '1')], { storageClassName: 'x' }, 'x'],
    ['the empty class is named -> stays', [standard('a', '1')], { storageClassName: '' }, ''],
  ])('P-ADM-3 %s', (_situation, classes, spec, expected) => {
    expect(outcome(defaultStorageClass, requestOf(PersistentVolumeClaims, claim(spec)), readerOf(...classes))).toEqual(
      claim({ ...spec, ...(expected === undefined ? {} : { storageClassName: expected }) }),
    );
  });

  it('P-ADM-3 the old annotation, an update, a write to the status -> untouched', () => {
    const reader = readerOf(standard('a', '1'));
    const annotated = claim({}, { metadata: { name: 'a', annotations: { [BETA]: 'x' } } });
    expect(outcome(defaultStorageClass, requestOf(PersistentVolumeClaims, annotated), reader)).toBe(annotated);
    const bare = claim();
    expect(outcome(defaultStorageClass, requestOf(PersistentVolumeClaims, bare, { before: bare }), reader)).toBe(bare);
    expect(
      outcome(defaultStorageClass, requestOf(PersistentVolumeClaims, bare, { subresource: 'status' }), reader),
    ).toBe(bare);
  });
});

describe('StorageObjectInUseProtection', () => {
  const finalizersOf = (object: KubeObject | string | undefined) =>
    typeof object === 'object' ? object.metadata.finalizers : object;

  it('P-ADM-4 new claim, volume, attributes class -> a finalizer each, after those given', () => {
    const mine = { metadata: { name: 'a', finalizers: ['example.com/mine'] } };
    const admit = (request: Parameters<typeof outcome>[1]) =>
      finalizersOf(outcome(storageObjectInUseProtection, request, readerOf()));
    expect(admit(requestOf(PersistentVolumeClaims, claim({}, mine)))).toEqual([
      'example.com/mine',
      'kubernetes.io/pvc-protection',
    ]);
    expect(admit(requestOf(PersistentVolumes, made(PersistentVolumes, mine)))).toEqual([
      'example.com/mine',
      'kubernetes.io/pv-protection',
    ]);
    expect(admit(requestOf(VolumeAttributesClasses, made(VolumeAttributesClasses, { driverName: 'd' })))).toEqual([
      'kubernetes.io/vac-protection',
    ]);
  });

  it('P-ADM-4 an update that leaves it out -> it is gone', () => {
    const bare = claim();
    expect(
      finalizersOf(
        outcome(storageObjectInUseProtection, requestOf(PersistentVolumeClaims, bare, { before: bare }), readerOf()),
      ),
    ).toBeUndefined();
  });
});

describe('PersistentVolumeClaimResize', () => {
  const allowing = made(StorageClasses, { metadata: { name: 'gold' }, provisioner: 'p', allowVolumeExpansion: true });
  const refusing = made(StorageClasses, { metadata: { name: 'gold' }, provisioner: 'p' });
  const FIXED =
    '403 persistentvolumeclaims "a" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';

  it.each<[string, ReturnType<typeof sized>, ReturnType<typeof sized>, KubeObject, string | undefined]>([
    ['grows, class allows -> fine', sized('1Gi'), sized('2Gi'), allowing, undefined],
    ['grows, class says nothing -> refused', sized('1Gi'), sized('2Gi'), refusing, FIXED],
    ['grows, class is gone -> refused', sized('1Gi', 'Bound', 'gone'), sized('2Gi', 'Bound', 'gone'), allowing, FIXED],
    ['grows, no class -> refused', sized('1Gi', 'Bound', ''), sized('2Gi', 'Bound', ''), allowing, FIXED],
    [
      'grows unbound -> refused',
      sized('1Gi', 'Pending'),
      sized('2Gi', 'Pending'),
      allowing,
      '403 persistentvolumeclaims "a" is forbidden: Only bound persistent volume claims can be expanded',
    ],
    ['shrinks, class says nothing -> not its business', sized('2Gi'), sized('1Gi'), refusing, undefined],
    ['the same size typed differently -> fine', sized('1Gi'), sized('1024Mi'), refusing, undefined],
  ])('P-ADM-5 %s', (_situation, before, after, storageClass, expected) => {
    const request = requestOf(PersistentVolumeClaims, after, { before });
    expect(outcome(persistentVolumeClaimResize, request, readerOf(storageClass))).toBe(expected ?? after);
  });
});
