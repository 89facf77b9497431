// kubernetes:pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go}
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type {
  DownwardAPIVolumeFile,
  EphemeralVolumeSource,
  ProjectedVolumeSource,
  VolumeProjection,
} from '../../kube/resources/volume-source.ts';
import { defaultClaimSpec } from './persistent-volume-claim-spec.ts';
import { pullPolicyOf } from './image-pull-policy.ts';
import { kept } from './kept.ts';

/** 0644 */
const FILE_MODE = 420;
const TOKEN_SECONDS = 3600;

/** A volume without any source is an emptyDir. */
export function defaultVolume(volume: Volume): Volume {
  if (Object.keys(volume).every((key) => key === 'name')) return { ...volume, emptyDir: {} };
  const { hostPath, secret, configMap, downwardAPI, projected, ephemeral, image } = volume;
  return kept(volume, {
    ...withNetworkDefaults(volume),
    ...(hostPath === undefined ? {} : { hostPath: kept(hostPath, { type: '', ...hostPath }) }),
    ...(secret === undefined ? {} : { secret: kept(secret, { defaultMode: FILE_MODE, ...secret }) }),
    ...(configMap === undefined ? {} : { configMap: kept(configMap, { defaultMode: FILE_MODE, ...configMap }) }),
    ...(downwardAPI === undefined
      ? {}
      : { downwardAPI: { defaultMode: FILE_MODE, ...downwardAPI, ...withFieldVersions(downwardAPI.items) } }),
    ...(projected === undefined ? {} : { projected: defaultProjected(projected) }),
    ...(ephemeral === undefined ? {} : { ephemeral: defaultEphemeral(ephemeral) }),
    ...(image === undefined
      ? {}
      : { image: kept(image, { pullPolicy: pullPolicyOf(image.reference ?? ''), ...image }) }),
  });
}

function withNetworkDefaults(volume: Volume): Volume {
  const { iscsi, rbd, azureDisk, scaleIO } = volume;
  return {
    ...volume,
    ...(iscsi === undefined ? {} : { iscsi: { iscsiInterface: 'default', ...iscsi } }),
    ...(rbd === undefined ? {} : { rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring', ...rbd } }),
    ...(azureDisk === undefined
      ? {}
      : { azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared', ...azureDisk } }),
    ...(scaleIO === undefined ? {} : { scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs', ...scaleIO } }),
  };
}

function withFieldVersions(items: readonly DownwardAPIVolumeFile[] | undefined): {
  readonly items?: readonly DownwardAPIVolumeFile[];
} {
  if (items === undefined) return {};
  return {
    items: items.map((item) =>
      item.fieldRef === undefined ? item : { ...item, fieldRef: { apiVersion: 'v1', ...item.fieldRef } },
    ),
  };
}

function defaultProjected(projected: ProjectedVolumeSource): ProjectedVolumeSource {
  return {
    defaultMode: FILE_MODE,
    ...projected,
    sources: (projected.sources ?? []).map((given) => {
      const source = withoutGated(given);
      const { serviceAccountToken: token, downwardAPI } = source;
      return {
        ...source,
        ...(token === undefined ? {} : { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, ...token } }),
        ...(downwardAPI === undefined
          ? {}
          : { downwardAPI: { ...downwardAPI, ...withFieldVersions(downwardAPI.items) } }),
      };
    }),
  };
}

/** The gates ClusterTrustBundleProjection and PodCertificateRequest are off by default. */
function withoutGated(source: VolumeProjection): VolumeProjection {
  const { clusterTrustBundle: _bundle, podCertificate: _certificate, ...rest } = source;
  return rest;
}

function defaultEphemeral(ephemeral: EphemeralVolumeSource): EphemeralVolumeSource {
  const template = ephemeral.volumeClaimTemplate;
  if (template === undefined) return ephemeral;
  return {
    ...ephemeral,
    volumeClaimTemplate: { ...template, metadata: template.metadata ?? {}, spec: defaultClaimSpec(template.spec) },
  };
}
