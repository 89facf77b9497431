// Projected volumes. kubernetes:pkg/apis/core/validation/validation.go (validateProjectedVolumeSource)
import { type FieldError, forbidden, invalid, required } from '../../kube/field-error.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import type {
  ClusterTrustBundleProjection,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../../kube/resources/volume-source.ts';
import { checkDownwardFiles } from './downward-checks.ts';
import { checkFileMode, checkRequired } from './field-checks.ts';
import { checkKeyToPath, checkVolumeFilePath } from './source-checks.ts';

type Faults = readonly FieldError[];

const TOKEN_SECONDS_MIN = 600;
const TOKEN_SECONDS_MAX = 2 ** 32;

export function checkProjected(source: ProjectedVolumeSource, path: string): Faults {
  const taken = new Set<string>();
  return [
    ...checkFileMode(`${path}.defaultMode`, source.defaultMode),
    ...source.sources.flatMap((projection, index) => [
      ...checkProjection(projection, path, `${path}.sources[${index}]`),
      ...clashesOf(projection, taken, path),
      ...(Object.keys(projection).length > 1
        ? [forbidden(`${path}.sources[${index}]`, 'may not specify more than 1 volume type per source')]
        : []),
    ]),
  ];
}

function checkProjection(projection: VolumeProjection, path: string, at: string): Faults {
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle } = projection;
  return [
    ...(secret === undefined ? [] : checkKeyed(secret, `${at}.secret`)),
    ...(configMap === undefined ? [] : checkKeyed(configMap, `${at}.configMap`)),
    ...(downwardAPI === undefined ? [] : checkDownwardFiles(downwardAPI.items ?? [], `${at}.downwardAPI`)),
    ...(serviceAccountToken === undefined ? [] : checkToken(serviceAccountToken, path, `${at}.serviceAccountToken`)),
    ...(clusterTrustBundle === undefined ? [] : checkTrustBundle(clusterTrustBundle, `${at}.clusterTrustBundle`)),
  ];
}

const checkKeyed = (source: NonNullable<VolumeProjection['secret']>, path: string): Faults => [
  ...checkRequired(`${path}.name`, source.name),
  ...(source.items ?? []).flatMap((item, index) => checkKeyToPath(item, `${path}.items[${index}]`)),
];

/** Two projections may not write the same file; the second one is told, under the path of the whole volume. */
function clashesOf(projection: VolumeProjection, taken: Set<string>, path: string): Faults {
  const written = [
    ...(projection.secret?.items ?? []).map((item) => [item.path, projection.secret?.name ?? ''] as const),
    ...(projection.configMap?.items ?? []).map((item) => [item.path, projection.configMap?.name ?? ''] as const),
    ...(projection.downwardAPI?.items ?? []).map((item) => [item.path, item.path] as const),
    ...(projection.clusterTrustBundle === undefined
      ? []
      : [[projection.clusterTrustBundle.path, projection.clusterTrustBundle.path] as const]),
  ].filter(([file]) => file !== '');
  return written.flatMap(([file, told]) => {
    if (taken.has(file)) return [invalid(path, told, 'conflicting duplicate paths')];
    taken.add(file);
    return [];
  });
}

function checkToken(token: ServiceAccountTokenProjection, path: string, at: string): Faults {
  const seconds = token.expirationSeconds ?? 0;
  const field = `${at}.expirationSeconds`;
  return [
    ...(seconds < TOKEN_SECONDS_MIN
      ? [invalid(field, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > TOKEN_SECONDS_MAX
      ? [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(token.path === '' ? [required(`${path}.path`)] : checkVolumeFilePath(`${path}.path`, token.path)),
  ];
}

function checkTrustBundle(bundle: ClusterTrustBundleProjection, path: string): Faults {
  return [
    ...checkBundleName(bundle, path),
    ...checkRequired(`${path}.path`, bundle.path),
    ...checkVolumeFilePath(`${path}.path`, bundle.path),
  ];
}

function checkBundleName(bundle: ClusterTrustBundleProjection, path: string): Faults {
  const { name, signerName, labelSelector } = bundle;
  if (name !== undefined && signerName !== undefined) {
    return [invalid(path, bundle, 'only one of name and signerName may be used')];
  }
  if (name !== undefined) {
    return [
      ...(name === '' ? [required(`${path}.name`, 'must be a valid object name')] : []),
      ...(labelSelector === undefined
        ? []
        : [invalid(`${path}.labelSelector`, labelSelector, 'labelSelector must be unset if name is specified')]),
    ];
  }
  if (signerName === undefined) return [required(path, 'either name or signerName must be specified')];
  return [
    ...(signerName === '' ? [required(`${path}.signerName`, 'must be a valid signer name')] : []),
    ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
  ];
}
