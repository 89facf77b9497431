// Objects that a pod names in its spec. kubernetes:pkg/api/v1/pod/util.go
import type { Container } from '../../kube/resources/container.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type { Pod } from '../../kube/resources/pod.ts';

export const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

export const isMirror = ({ metadata }: Pod): boolean => Object.hasOwn(metadata.annotations ?? {}, MIRROR_ANNOTATION);

const named = (...names: readonly (string | undefined)[]): readonly string[] =>
  names.filter((name): name is string => name !== undefined && name !== '');

export function secretsOf({ spec }: Pod): readonly string[] {
  const pull = (spec.imagePullSecrets ?? []).map(({ name }) => name);
  const ofContainers = containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ]);
  return named(...pull, ...ofContainers, ...(spec.volumes ?? []).flatMap(secretsOfVolume));
}

function secretsOfVolume(volume: Volume): readonly (string | undefined)[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    volume.csi?.nodePublishSecretRef?.name,
    ...[
      volume.cephfs,
      volume.cinder,
      volume.flexVolume,
      volume.rbd,
      volume.scaleIO,
      volume.iscsi,
      volume.storageos,
    ].map((source) => source?.secretRef?.name),
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
  ];
}

export function configMapsOf({ spec }: Pod): readonly string[] {
  const ofContainers = containersOf(spec).flatMap(({ env = [], envFrom = [] }) => [
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ]);
  const ofVolumes = (spec.volumes ?? []).flatMap(({ configMap, projected }) => [
    configMap?.name,
    ...(projected?.sources ?? []).map((source) => source.configMap?.name),
  ]);
  return named(...ofContainers, ...ofVolumes);
}

/** An ephemeral volume's claim is named after its pod and its volume. */
export function claimsOf({ metadata, spec }: Pod): readonly string[] {
  return named(
    ...(spec.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) =>
      ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name}-${name}`,
    ),
  );
}

const containersOf = (spec: Pod['spec']): readonly Pick<Container, 'env' | 'envFrom'>[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
  ...(spec.ephemeralContainers ?? []),
];
