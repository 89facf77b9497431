// The snapshot kinds are custom resources. Upstream's rules stand in their CRDs as schema and CEL expressions; the sentences
// here are those of the expressions. external-snapshotter:client/config/crd
import { type FieldError, invalid, notSupported, required } from '../../kube/field-error.ts';
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  VolumeSnapshotClasses,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '../../kube/resources/volume-snapshot.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];

const DELETION_POLICIES = ['Delete', 'Retain'] as const;

export const volumeSnapshotStrategy: Strategy<VolumeSnapshot> = {
  resource: VolumeSnapshots,
  hasGeneration: true,
  hasStatus: true,
  requiresResourceVersion: true,
  nameRule: 'subdomain',
  applyDefaults: (snapshot) => snapshot,
  prepareForStatusUpdate: (snapshot, before) => ({ ...snapshot, metadata: before.metadata, spec: before.spec }),
  validate: checkSnapshot,
  validateUpdate: (snapshot, before) => [...checkSnapshot(snapshot), ...checkSource(snapshot, before)],
};

export const volumeSnapshotContentStrategy: Strategy<VolumeSnapshotContent> = {
  resource: VolumeSnapshotContents,
  hasGeneration: true,
  hasStatus: true,
  requiresResourceVersion: true,
  nameRule: 'subdomain',
  applyDefaults: (content) => content,
  prepareForStatusUpdate: (content, before) => ({ ...content, metadata: before.metadata, spec: before.spec }),
  validate: checkContent,
  validateUpdate: (content, before) => [...checkContent(content), ...checkContentChange(content, before)],
};

export const volumeSnapshotClassStrategy: Strategy<VolumeSnapshotClass> = {
  resource: VolumeSnapshotClasses,
  hasGeneration: true,
  hasStatus: false,
  requiresResourceVersion: true,
  nameRule: 'subdomain',
  applyDefaults: (snapshotClass) => snapshotClass,
  validate: ({ driver, deletionPolicy }) => [
    ...(driver === '' ? [required('driver')] : []),
    ...checkPolicy(deletionPolicy, 'deletionPolicy'),
  ],
};

const isGiven = (name: string | undefined): boolean => name !== undefined && name !== '';

const checkPolicy = (policy: string, path: string): Faults =>
  policy === 'Delete' || policy === 'Retain'
    ? []
    : policy === ''
      ? [required(path)]
      : [notSupported(path, policy, DELETION_POLICIES)];

function checkSnapshot({ spec }: VolumeSnapshot): Faults {
  const { persistentVolumeClaimName, volumeSnapshotContentName } = spec.source;
  const isOne = isGiven(persistentVolumeClaimName) !== isGiven(volumeSnapshotContentName);
  const detail = 'exactly one of volumeSnapshotContentName and persistentVolumeClaimName must be set';
  return [
    ...(isOne ? [] : [invalid('spec.source', spec.source, detail)]),
    ...(spec.volumeSnapshotClassName === ''
      ? [invalid('spec.volumeSnapshotClassName', '', 'volumeSnapshotClassName must not be the empty string when set')]
      : []),
  ];
}

function checkSource({ spec }: VolumeSnapshot, before: VolumeSnapshot): Faults {
  return (['persistentVolumeClaimName', 'volumeSnapshotContentName'] as const)
    .filter((key) => !sameValue(spec.source[key], before.spec.source[key]))
    .map((key) => invalid(`spec.source.${key}`, spec.source[key], `${key} is immutable`));
}

function checkContent({ spec }: VolumeSnapshotContent): Faults {
  const { volumeHandle, snapshotHandle } = spec.source;
  const isOne = isGiven(volumeHandle) !== isGiven(snapshotHandle);
  const { name, namespace } = spec.volumeSnapshotRef;
  return [
    ...(isOne
      ? []
      : [invalid('spec.source', spec.source, 'exactly one of volumeHandle and snapshotHandle must be set')]),
    ...checkPolicy(spec.deletionPolicy, 'spec.deletionPolicy'),
    ...(spec.driver === '' ? [required('spec.driver')] : []),
    ...(isGiven(name) && isGiven(namespace)
      ? []
      : [
          invalid(
            'spec.volumeSnapshotRef',
            spec.volumeSnapshotRef,
            'both spec.volumeSnapshotRef.name and spec.volumeSnapshotRef.namespace must be set',
          ),
        ]),
  ];
}

function checkContentChange({ spec }: VolumeSnapshotContent, before: VolumeSnapshotContent): Faults {
  return [
    ...(['volumeHandle', 'snapshotHandle'] as const)
      .filter((key) => !sameValue(spec.source[key], before.spec.source[key]))
      .map((key) => invalid(`spec.source.${key}`, spec.source[key], `${key} is immutable`)),
    ...(before.spec.sourceVolumeMode !== undefined && spec.sourceVolumeMode !== before.spec.sourceVolumeMode
      ? [invalid('spec.sourceVolumeMode', spec.sourceVolumeMode, 'sourceVolumeMode is immutable')]
      : []),
  ];
}
