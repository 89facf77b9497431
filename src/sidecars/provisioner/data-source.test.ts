import { expect, test } from 'vitest';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { VolumeSnapshot, VolumeSnapshotContent } from '../../kube/resources/volume-snapshot.ts';
import { type ClaimParts, type VolumeParts, aClaim, aClass, aVolume } from '../../volume/makers.ts';
import {
  type SnapshotFacts,
  type SourceDecision,
  dataSourceOf,
  decideCloneSource,
  decideSnapshotSource,
  refusalOfCloneSource,
} from './data-source.ts';

const DRIVER = 'disk.csi.test';
const storageClass = aClass({ provisioner: DRIVER });
const GROUP = 'snapshot.storage.k8s.io';
const withSpec = (spec: Partial<PersistentVolumeClaim['spec']>) => {
  const claim = aClaim({ name: 'data' });
  return { ...claim, spec: { ...claim.spec, ...spec } };
};
const local = (kind: string, apiGroup: string | null = null, name = 'src') => ({ apiGroup, kind, name });

test.each([
  ['none', {}, { type: 'none' }],
  [
    'a claim',
    { dataSource: local('PersistentVolumeClaim') },
    { type: 'claim', kind: 'PersistentVolumeClaim', name: 'src' },
  ],
  [
    'a snapshot',
    { dataSource: local('VolumeSnapshot', GROUP) },
    { type: 'snapshot', kind: 'VolumeSnapshot', name: 'src' },
  ],
  [
    'only the reference',
    { dataSourceRef: local('VolumeSnapshot', GROUP) },
    { type: 'snapshot', kind: 'VolumeSnapshot', name: 'src' },
  ],
  ['a foreign kind', { dataSourceRef: local('Thing', 'x.test') }, { type: 'foreign', kind: 'Thing' }],
  [
    'a snapshot of another group',
    { dataSource: local('VolumeSnapshot', 'x.test') },
    {
      type: 'wrong',
      message: 'the PVC source does not belong to the right APIGroup. Expected snapshot.storage.k8s.io, Got x.test',
    },
  ],
  [
    'no name',
    { dataSource: local('PersistentVolumeClaim', null, '') },
    { type: 'wrong', message: 'the PVC source not found for PVC data' },
  ],
  [
    'another namespace',
    { dataSourceRef: { ...local('PersistentVolumeClaim'), namespace: 'other' } },
    {
      type: 'wrong',
      message: 'dataSourceRef namespace specified but the CrossNamespaceVolumeDataSource feature is disabled',
    },
  ],
])('dataSourceOf: %s', (_name, spec: Partial<PersistentVolumeClaim['spec']>, expected) => {
  expect(dataSourceOf(withSpec(spec))).toEqual(expected);
});

const META = { uid: 'snap-uid', namespace: 'default', resourceVersion: '1', creationTimestamp: '' };
const snapshot = (changes: { metadata?: object; status?: object | undefined } = {}): VolumeSnapshot => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshot',
  metadata: { name: 'snap', ...META, ...changes.metadata },
  spec: { source: {} },
  status: { boundVolumeSnapshotContentName: 'content', readyToUse: true, restoreSize: '1Gi', ...changes.status },
});
const content = (
  changes: { spec?: object; status?: object; annotations?: Record<string, string> } = {},
): VolumeSnapshotContent => ({
  apiVersion: 'snapshot.storage.k8s.io/v1',
  kind: 'VolumeSnapshotContent',
  metadata: { ...META, name: 'content', annotations: changes.annotations ?? {} },
  spec: {
    volumeSnapshotRef: { uid: 'snap-uid', namespace: 'default', name: 'snap' },
    deletionPolicy: 'Delete',
    driver: DRIVER,
    source: {},
    ...changes.spec,
  },
  status: { snapshotHandle: 'h', ...changes.status },
});
const shown = (decision: SourceDecision) =>
  decision.type === 'refuse'
    ? decision.message
    : decision.source.case === 'snapshot'
      ? decision.source.snapshotId
      : decision.source.volumeId;

const ALLOW = 'snapshot.storage.kubernetes.io/allow-volume-mode-change';
const CONVERSION =
  'requested volume default/c modifies the mode of the source volume but does not have permission to do so. ';
const BLOCK = { spec: { sourceVolumeMode: 'Block' } };
test.each<[string, Partial<SnapshotFacts>, string]>([
  ['usable -> its handle', {}, 'h'],
  ['being deleted', { snapshot: snapshot({ metadata: { deletionTimestamp: 'x' } }) }, 'snapshot snap is being deleted'],
  [
    'being deleted, but begun before -> its handle',
    {
      snapshot: snapshot({
        metadata: {
          deletionTimestamp: 'x',
          finalizers: ['provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection'],
        },
      }),
    },
    'h',
  ],
  [
    'not bound',
    { snapshot: snapshot({ status: { boundVolumeSnapshotContentName: undefined } }) },
    'snapshot snap not bound',
  ],
  ['content missing', { content: undefined }, 'error getting snapshotcontent content for snapshot snap'],
  [
    'content of another',
    { content: content({ spec: { volumeSnapshotRef: { uid: 'x' } } }) },
    'snapshotcontent content for snapshot snap is bound to a different snapshot',
  ],
  [
    'another driver',
    { content: content({ spec: { driver: 'x' } }) },
    'snapshotcontent content for snapshot snap is not handled by CSI driver of StorageClass gold',
  ],
  ['not ready', { snapshot: snapshot({ status: { readyToUse: false } }) }, 'snapshot snap is not Ready'],
  [
    'no handle',
    { content: content({ status: { snapshotHandle: undefined } }) },
    'snapshot handle snap is not available',
  ],
  [
    'too small',
    { claim: aClaim({ size: '1Mi' }) },
    'requested volume size 1048576 is less than the size 1073741824 for the source snapshot snap',
  ],
  [
    'another mode, no permission',
    { content: content(BLOCK) },
    `${CONVERSION}${ALLOW} annotation is not present on snapshotcontent content`,
  ],
  [
    'another mode, refused',
    { content: content({ ...BLOCK, annotations: { [ALLOW]: 'false' } }) },
    `${CONVERSION}${ALLOW} is set to false on snapshotcontent content`,
  ],
  [
    'another mode, no boolean',
    { content: content({ ...BLOCK, annotations: { [ALLOW]: 'yes' } }) },
    `${CONVERSION}failed to convert ${ALLOW} annotation value to boolean with error: strconv.ParseBool: parsing "yes": invalid syntax`,
  ],
  ['another mode, permitted', { content: content({ ...BLOCK, annotations: { [ALLOW]: 'true' } }) }, 'h'],
  ['another mode, nobody minds', { content: content(BLOCK), preventVolumeModeConversion: false }, 'h'],
])('P-PROV-8 decideSnapshotSource: %s', (_name, changes, expected) => {
  const facts = {
    claim: aClaim(),
    storageClass,
    snapshot: snapshot(),
    content: content(),
    preventVolumeModeConversion: true,
  };
  expect(shown(decideSnapshotSource({ ...facts, ...changes }))).toBe(expected);
});

const sourceParts: ClaimParts = { name: 'src', uid: 'src-uid', className: 'gold', phase: 'Bound', volumeName: 'v' };
test.each<[string, ClaimParts | undefined, ClaimParts, string | undefined]>([
  ['usable', {}, {}, undefined],
  [
    'missing',
    undefined,
    {},
    'error getting PVC src (namespace "default") from api server: persistentvolumeclaim "src" not found',
  ],
  [
    'pending',
    { phase: 'Pending' },
    {},
    'the PVC DataSource src must have a status of Bound.  Got {Pending [] map[] [] map[] map[] <nil> <nil>}',
  ],
  ['being deleted', { deleting: true }, {}, 'the PVC DataSource src is currently being deleted'],
  [
    'smaller than the source',
    { size: '2Gi' },
    {},
    'error, new PVC request must be greater than or equal in size to the specified PVC data source, requested 1073741824 but source is 2147483648',
  ],
  ['no volume', { volumeName: '' }, {}, 'volume name is empty in source PVC src'],
])('P-PROV-7 refusalOfCloneSource: %s', (_name, parts, own, expected) => {
  const source = parts === undefined ? undefined : aClaim({ ...sourceParts, ...parts });
  const facts = { claim: aClaim({ className: 'gold', ...own }), storageClass, source, sourceName: 'src' };
  expect(refusalOfCloneSource(facts)).toBe(expected);
});

test('P-PROV-7 a claim without class on either side -> refused', () => {
  const { className: _none, ...classless } = sourceParts;
  const facts = { claim: aClaim(), storageClass, sourceName: 'src' };
  expect(refusalOfCloneSource({ ...facts, source: aClaim(classless) })).toBe(
    'the source PVC (src) storageclass cannot be empty',
  );
  expect(refusalOfCloneSource({ ...facts, source: aClaim(sourceParts) })).toBe(
    'the requested PVC (c) storageclass cannot be empty',
  );
});

const csi = { csi: { driver: DRIVER, volumeHandle: 'vol-1' } };
const INVALID = 'claim in dataSource not bound or invalid';
test.each<[string, VolumeParts | undefined, string]>([
  ['usable -> its handle', {}, 'vol-1'],
  ['volume missing', undefined, INVALID],
  ['no CSI volume', { spec: {} }, INVALID],
  ['another driver', { spec: { csi: { driver: 'x', volumeHandle: 'h' } } }, INVALID],
  ['bound to another', { claim: 'src/other-uid' }, INVALID],
  ['not bound', { phase: 'Released' }, INVALID],
  [
    'another mode',
    { volumeMode: 'Block' },
    'the source PVC and destination PVCs must have the same volume mode for cloning.  Source is Block, but new PVC requested Filesystem',
  ],
])('P-PROV-7 decideCloneSource: %s', (_name, parts, expected) => {
  const volume =
    parts === undefined ? undefined : aVolume({ claim: 'src/src-uid', phase: 'Bound', spec: csi, ...parts });
  const facts = { claim: aClaim(), storageClass, source: aClaim(sourceParts), sourceName: 'src' };
  expect(shown(decideCloneSource(facts, volume))).toBe(expected);
});
