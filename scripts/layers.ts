// Who may import whom: the one table that `npm run tidy` holds the source to. A room is a folder of src/; where an edge of a
// room may do more than the room itself (speak gRPC, open sockets), the edge has a row of its own and the rest of the room
// may not import it, or the engine would gain by that detour what its own row denies.
//
// The row that carries the product: components never import each other. What one knows and another needs is read from an
// API object, as on a real cluster; otherwise the engine would work in simulation and fail beside real components.

export interface Layer {
  /** Folder below src/. */
  readonly room: string;
  /** Rooms whose files it may import, beside its own. Exact rows: `csi` does not include `csi/grpc`. */
  readonly may: readonly string[] | 'every row above';
}

const COMPONENT = ['base', 'kube', 'runtime', 'volume', 'csi'] as const;
const READER = ['base', 'kube', 'runtime', 'volume'] as const;

/** From the bottom up. */
export const LAYERS: readonly Layer[] = [
  { room: 'base', may: [] },
  { room: 'grpc', may: ['base'] },
  { room: 'kube', may: ['base'] },
  { room: 'kubeclient', may: ['base', 'kube'] },
  { room: 'runtime', may: ['base', 'kube'] },
  { room: 'volume', may: ['base', 'kube'] },
  { room: 'csi', may: ['base', 'kube'] },
  { room: 'csi/grpc', may: ['base', 'kube', 'csi', 'grpc'] },
  { room: 'csi/drivers/loopback', may: ['base', 'kube', 'csi'] },
  // A server needs no informers, so it never imports runtime.
  { room: 'apiserver', may: ['base', 'kube'] },
  { room: 'apiserver/http', may: ['base', 'kube', 'apiserver', 'grpc'] },
  { room: 'apiserver/storage/embedded', may: ['base', 'kube', 'apiserver'] },
  { room: 'apiserver/storage/etcd', may: ['base', 'kube', 'apiserver', 'grpc'] },
  { room: 'controlplane', may: COMPONENT },
  { room: 'sidecars', may: COMPONENT },
  { room: 'kubelet', may: COMPONENT },
  { room: 'kubelet/mounter/linux', may: [...COMPONENT, 'kubelet'] },
  { room: 'worlds', may: 'every row above' },
  { room: 'simulation', may: 'every row above' },
  { room: 'twin', may: 'every row above' },
  { room: 'operate', may: READER },
  // Diagnosis asks for a forecast through an interface that operate declares; cli hands it the twin. Hence no twin here.
  { room: 'operate/diagnose', may: [...READER, 'operate'] },
  { room: 'observe', may: READER },
  { room: 'console-api', may: 'every row above' },
  { room: 'cli', may: 'every row above' },
];

/** Folders whose sub-folders are strangers to each other. What lies in the folder itself is open to all of them. */
export const STRANGERS: readonly string[] = [
  'controlplane',
  'controlplane/serviceaccount',
  'sidecars',
  'sidecars/snapshotter',
];

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The row that governs a file of src/, by its path below src/; undefined if the file is in no known room. */
export function roomOf(path: string, layers: readonly Layer[] = LAYERS): Layer | undefined {
  let governing: Layer | undefined;
  for (const layer of layers) {
    if (!path.startsWith(`${layer.room}/`)) continue;
    if (governing === undefined || layer.room.length > governing.room.length) governing = layer;
  }
  return governing;
}

/** The innermost stranger's folder that a path lies in: `controlplane/attachdetach`, or undefined outside of all. */
export function cellOf(path: string, strangers: readonly string[] = STRANGERS): string | undefined {
  let cell: string | undefined;
  for (const parent of strangers) {
    if (!path.startsWith(`${parent}/`)) continue;
    const [child = '', ...deeper] = path.slice(parent.length + 1).split('/');
    const found = deeper.length === 0 ? parent : `${parent}/${child}`;
    if (cell === undefined || found.length > cell.length) cell = found;
  }
  return cell;
}

function mayEnter(from: Layer, to: Layer, layers: readonly Layer[]): boolean {
  if (from.room === to.room) return true;
  if (from.may !== 'every row above') return from.may.includes(to.room);
  return layers.indexOf(to) < layers.indexOf(from);
}

/** Why a file of one path below src/ may not import another; undefined if it may. */
export function whyNotImport(from: string, to: string): string | undefined {
  const source = roomOf(from);
  const target = roomOf(to);
  if (source === undefined) return `${from} is in no room of scripts/layers.ts`;
  if (target === undefined) return `${to} is in no room of scripts/layers.ts`;
  if (!mayEnter(source, target, LAYERS)) {
    const may = source.may === 'every row above' ? 'only what is below it' : source.may.join(', ') || 'no other room';
    return `${source.room} may not import ${target.room} (it may import ${may}): read it from an API object, or move the pure rule down`;
  }
  const [fromCell, toCell] = [cellOf(from), cellOf(to)];
  const areStrangers = fromCell !== undefined && toCell !== undefined && source.room === target.room;
  if (!areStrangers || isWithin(fromCell, toCell)) return undefined;
  return `${fromCell} and ${toCell} are strangers: read it from an API object, or move the pure rule to volume/`;
}
