// The files below a kubelet's root as the recordings list them, without directories that hold nothing of a volume.
import type { RecordedFile } from './recording.ts';
import type { Stage } from './stage.ts';

export interface SeenFile {
  readonly path: string;
  readonly kind: RecordedFile['kind'];
  readonly mount: boolean;
  readonly to?: string;
  readonly json?: unknown;
}

const KINDS = { directory: 'dir', file: 'file', link: 'link', block: 'block' } as const;

export async function filesOf(replay: Stage, node: string): Promise<readonly SeenFile[]> {
  const { mounter } = replay.bench.node(node);
  const root = replay.rootOf(node);
  const found: SeenFile[] = [];
  for (const path of mounter.paths()) {
    if (!path.startsWith(`${root}/`)) continue;
    const stat = await mounter.stat(path);
    if (stat === undefined) continue;
    const to = mounter.linkAt(path);
    const isData = path.endsWith('/vol_data.json');
    const json = isData ? await mounter.readVolumeData(path.slice(0, path.lastIndexOf('/'))) : undefined;
    found.push({
      path: replay.normalised(path),
      kind: KINDS[stat.kind],
      mount: stat.mountPoint,
      ...(to === undefined ? {} : { to: replay.normalised(to) }),
      ...(json === undefined ? {} : { json }),
    });
  }
  return telling(found);
}

export function recordedFiles(entries: readonly RecordedFile[]): readonly SeenFile[] {
  return telling(
    entries.map(({ path, kind, mount, to, json }) => ({
      path,
      kind,
      mount: mount === true,
      ...(to === undefined ? {} : { to }),
      ...(json === undefined ? {} : { json }),
    })),
  );
}

/** Directories that are made for all volumes together, and stay or go at times that no rule gives. */
const FRAME = [
  /^<root>\/(pods|plugins)$/,
  /^<root>\/pods\/[^/]+$/,
  /^<root>\/pods\/[^/]+\/(volumes|volumeDevices|volume-subpaths)$/,
  /^<root>\/pods\/[^/]+\/(volumes|volumeDevices)\/[^/]+$/,
  /^<root>\/plugins\/kubernetes.io$/,
  /^<root>\/plugins\/kubernetes.io\/csi$/,
  /^<root>\/plugins\/kubernetes.io\/csi\/[^/]+$/,
  /^<root>\/plugins\/kubernetes.io\/csi\/volumeDevices\/(publish|staging)$/,
];

function telling(files: readonly SeenFile[]): readonly SeenFile[] {
  return files
    .filter(({ path, kind }) => kind !== 'dir' || !FRAME.some((frame) => frame.test(path)))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
