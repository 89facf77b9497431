import { expect, test } from 'vitest';
import { aClaim, aClass } from '../../volume/makers.ts';
import { type VolumeFacts, nodeAffinityOf, volumeDraft } from './volume-draft.ts';

const facts = (changes: Partial<VolumeFacts> = {}): VolumeFacts => ({
  driverName: 'disk.csi.test',
  identity: '1-2-disk.csi.test',
  claim: aClaim({ name: 'data', uid: 'u', className: 'gold', modes: ['ReadOnlyMany'], attributesClass: 'silver' }),
  storageClass: aClass({ provisioner: 'disk.csi.test', mountOptions: ['noatime'], reclaimPolicy: 'Retain' }),
  request: {
    name: 'pvc-u',
    volumeCapabilities: [
      { accessType: { case: 'mount', fsType: 'xfs', mountFlags: [] }, accessMode: 'MULTI_NODE_READER_ONLY' },
    ],
    parameters: {},
    mutableParameters: {},
    secrets: {},
  },
  volume: {
    volumeId: 'vol-1',
    capacityBytes: 2n ** 31n,
    volumeContext: { kind: 'fast' },
    accessibleTopology: [{ segments: { zone: 'z1', rack: 'a' } }],
  },
  capacityBytes: 2n ** 31n,
  fsType: 'xfs',
  secrets: { provisioner: { name: 's', namespace: 'ns' }, nodeStage: { name: 't', namespace: 'ns' } },
  supportsTopology: true,
  controllerPublishReadonly: true,
  ...changes,
});

test('P-PROV-1 everything that is known -> in the volume', () => {
  expect(volumeDraft(facts())).toEqual({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'pvc-u',
      annotations: {
        'pv.kubernetes.io/provisioned-by': 'disk.csi.test',
        'volume.kubernetes.io/provisioner-deletion-secret-name': 's',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': 'ns',
      },
      finalizers: ['external-provisioner.volume.kubernetes.io/finalizer'],
    },
    spec: {
      accessModes: ['ReadOnlyMany'],
      mountOptions: ['noatime'],
      capacity: { storage: '2Gi' },
      csi: {
        driver: 'disk.csi.test',
        volumeHandle: 'vol-1',
        readOnly: true,
        fsType: 'xfs',
        volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': '1-2-disk.csi.test', kind: 'fast' },
        nodeStageSecretRef: { name: 't', namespace: 'ns' },
      },
      persistentVolumeReclaimPolicy: 'Retain',
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'rack', operator: 'In', values: ['a'] },
                { key: 'zone', operator: 'In', values: ['z1'] },
              ],
            },
          ],
        },
      },
      volumeMode: 'Filesystem',
      volumeAttributesClassName: 'silver',
      claimRef: {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        namespace: 'default',
        name: 'data',
        uid: 'u',
        resourceVersion: '1',
      },
      storageClassName: 'gold',
    },
  });
});

test('block volume -> no file system; driver without topology -> no affinity; flag off -> not read-only', () => {
  const claim = aClaim({ volumeMode: 'Block', modes: ['ReadOnlyMany'] });
  const draft = volumeDraft(facts({ claim, supportsTopology: false, controllerPublishReadonly: false }));
  expect(draft.spec?.csi).not.toHaveProperty('fsType');
  expect(draft.spec?.csi).not.toHaveProperty('readOnly');
  expect(draft.spec).not.toHaveProperty('nodeAffinity');
});

test('a modify secret -> its two annotations', () => {
  const { annotations } = volumeDraft(
    facts({ secrets: { controllerModify: { name: 'm', namespace: 'ns' } } }),
  ).metadata;
  expect(annotations).toMatchObject({
    'volume.kubernetes.io/controller-modify-secret-name': 'm',
    'volume.kubernetes.io/controller-modify-secret-namespace': 'ns',
    'volume.kubernetes.io/provisioner-deletion-secret-name': '',
  });
});

test('nodeAffinityOf: no places, or places without segments -> none', () => {
  expect(nodeAffinityOf([])).toBeUndefined();
  expect(nodeAffinityOf([{ segments: {} }])).toBeUndefined();
});
