// Volumes of pods: plugins that are gone, and files that would be written over each other.
// kubernetes:pkg/api/pod/warnings.go
import { goQuote } from '../../kube/go-text.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import type { VolumeProjection } from '../../kube/resources/volume-source.ts';
import { warnOfClaimSpec } from './persistent-volume-claim-spec.ts';

type Warnings = readonly string[];

const DEAD_SOURCES = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
] as const;

export function warnOfVolumes(volumes: readonly Volume[], path: string): Warnings {
  return [
    ...volumes.flatMap((volume, index) => warnOfSource(volume, `${path}[${index}]`)),
    ...volumes.flatMap(warnOfFiles),
  ];
}

function warnOfSource(volume: Volume, path: string): Warnings {
  const template = volume.ephemeral?.volumeClaimTemplate;
  return [
    ...DEAD_SOURCES.filter(([key]) => volume[key] !== undefined).map(([, name, text]) => `${path}.${name}: ${text}`),
    ...(template === undefined ? [] : warnOfClaimSpec(template.spec, `${path}.ephemeral.volumeClaimTemplate.spec`)),
  ];
}

interface File {
  readonly path: string;
  /** What writes it, where several sources share a volume. */
  readonly source: string;
}

interface HasPath {
  readonly path: string;
}

const filesOf = (items: readonly HasPath[] | undefined, source: string): readonly File[] =>
  (items ?? []).map(({ path }) => ({ path: path.replace(/\/+$/, ''), source }));

function warnOfFiles({
  name,
  configMap,
  secret,
  downwardAPI,
  projected: { sources = [] } = { sources: [] },
}: Volume): Warnings {
  const told = (what: string, files: readonly File[], earlier: readonly File[] = []): Warnings =>
    overlapsOf(files, earlier).map((overlap) => `volume ${goQuote(name)} (${what}): overlapping paths: ${overlap}`);
  return [
    ...told(`ConfigMap ${goQuote(configMap?.name ?? '')}`, filesOf(configMap?.items, '')),
    ...told(`Secret ${goQuote(secret?.secretName ?? '')}`, filesOf(secret?.items, '')),
    ...told('DownwardAPI', filesOf(downwardAPI?.items, '')),
    ...sources.flatMap((source, index) =>
      Object.keys(source).length === 0
        ? [`volume ${goQuote(name)} (Projected) has no sources provided`]
        : told('Projected', filesOfProjection(source), sources.slice(0, index).flatMap(filesOfProjection)),
    ),
  ];
}

function filesOfProjection({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): readonly File[] {
  if (configMap?.items !== undefined) return filesOf(configMap.items, `ConfigMap ${goQuote(configMap.name ?? '')}`);
  if (secret?.items !== undefined) return filesOf(secret.items, `Secret ${goQuote(secret.name ?? '')}`);
  if (downwardAPI?.items !== undefined) return filesOf(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken === undefined ? [] : filesOf([serviceAccountToken], 'ServiceAccountToken');
}

/** Each file with every one before it that is the same, lies in it or holds it. */
function overlapsOf(files: readonly File[], earlier: readonly File[]): Warnings {
  return files.flatMap((file, index) =>
    [...earlier, ...files.slice(0, index)]
      .filter((other) => holds(file, other) || holds(other, file))
      .map((other) => `${shown(file)} with ${shown(other)}`),
  );
}

const holds = (outer: File, inner: File): boolean =>
  outer.path !== '' && inner.path !== '' && `${inner.path}/`.startsWith(`${outer.path}/`);

const shown = ({ path, source }: File): string => (source === '' ? goQuote(path) : `${goQuote(path)} (${source})`);
