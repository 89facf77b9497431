// A committed write in words, for the timeline. Pure: from the object before and after to one short sentence. What a
// reader of a timeline wants is the change, not the object: `phase Pending → Bound, volumeName data-1`.
import { type KubeObject, isOf } from '../kube/object.ts';
import type { Event } from '../kube/resources/event.ts';
import { type PersistentVolume, PersistentVolumes } from '../kube/resources/persistent-volume.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../kube/resources/persistent-volume-claim.ts';
import { type Pod, Pods } from '../kube/resources/pod.ts';
import { type StorageClass, StorageClasses } from '../kube/resources/storage-class.ts';
import { type VolumeAttachment, VolumeAttachments } from '../kube/resources/volume-attachment.ts';

export interface ChangeInWords {
  readonly verb: string;
  readonly detail: string;
}

/** A change that touches more fields than this names the first ones and counts the rest. */
const FIELDS_NAMED_MAX = 6;

export function describeChange(before: KubeObject | undefined, after: KubeObject | undefined): ChangeInWords {
  if (before === undefined) return { verb: 'creates', detail: after === undefined ? '' : describeNew(after) };
  if (after === undefined) return { verb: 'removes', detail: '' };
  if (before.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined) {
    const held = after.metadata.finalizers ?? [];
    return { verb: 'deletes', detail: held.length === 0 ? 'terminating' : `terminating, held by ${held.join(', ')}` };
  }
  return { verb: 'updates', detail: describeDifference(before, after) };
}

function describeNew(object: KubeObject): string {
  if (isOf(PersistentVolumeClaims, object)) return describeClaim(object);
  if (isOf(PersistentVolumes, object)) return describeVolume(object);
  if (isOf(StorageClasses, object)) return describeClass(object);
  if (isOf(Pods, object)) return describePod(object);
  return isOf(VolumeAttachments, object) ? describeAttachment(object) : '';
}

/** What an Event says, for an entry about the object that it is about. */
export function describeEvent(event: Event): string {
  return `${event.type ?? 'Normal'} ${event.reason ?? ''}: ${event.message ?? ''}`;
}

function describeClaim({ spec }: PersistentVolumeClaim): string {
  const words = [spec.resources.requests?.['storage'] ?? 'no size', shortModes(spec.accessModes)];
  if (spec.volumeMode === 'Block') words.push('Block');
  words.push(spec.storageClassName === undefined ? 'no class' : `class ${quoteEmpty(spec.storageClassName)}`);
  if (spec.volumeName !== undefined) words.push(`wants volume ${spec.volumeName}`);
  return words.join(', ');
}

function describeVolume({ spec }: PersistentVolume): string {
  const words = [spec.capacity?.['storage'] ?? 'no size', shortModes(spec.accessModes)];
  words.push(spec.storageClassName === undefined ? 'no class' : `class ${quoteEmpty(spec.storageClassName)}`);
  if (spec.persistentVolumeReclaimPolicy !== undefined) words.push(spec.persistentVolumeReclaimPolicy);
  if (spec.claimRef !== undefined) words.push(`for claim ${spec.claimRef.namespace ?? ''}/${spec.claimRef.name ?? ''}`);
  return words.join(', ');
}

function describeClass(object: StorageClass): string {
  const isDefault = object.metadata.annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return `${object.provisioner}, ${object.volumeBindingMode ?? 'Immediate'}${isDefault ? ', default' : ''}`;
}

function describePod({ spec }: Pod): string {
  const claims = (spec.volumes ?? []).flatMap(({ persistentVolumeClaim, ephemeral, name }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [`ephemeral ${name}`];
  });
  return claims.length === 0 ? 'uses no claim' : `uses claim ${claims.join(', ')}`;
}

function describeAttachment({ spec }: VolumeAttachment): string {
  return `volume ${spec.source.persistentVolumeName ?? '(inline)'} to node ${spec.nodeName}`;
}

const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
function shortModes(modes: readonly string[] | undefined): string {
  return (modes ?? []).map((mode) => SHORT_MODES[mode] ?? mode).join('+') || 'no access mode';
}
const quoteEmpty = (text: string): string => (text === '' ? '""' : text);

/** Fields that every write moves, or that say nothing to a reader. */
const SILENT = new Set([
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.managedFields',
  'status.lastPhaseTransitionTime',
  'spec.claimRef.resourceVersion',
  'spec.claimRef.kind',
  'spec.claimRef.apiVersion',
]);

function describeDifference(before: KubeObject, after: KubeObject): string {
  const changes: string[] = [];
  collectChanges(before, after, '', changes);
  if (changes.length <= FIELDS_NAMED_MAX) return changes.join(', ');
  return `${changes.slice(0, FIELDS_NAMED_MAX).join(', ')} and ${changes.length - FIELDS_NAMED_MAX} more`;
}

function collectChanges(before: unknown, after: unknown, path: string, into: string[]): void {
  if (path === 'spec.claimRef' && before !== after) {
    into.push(describeReference(before, after));
    return;
  }
  if (before === after || SILENT.has(path) || path.endsWith('Time') || path.endsWith('Timestamp')) return;
  if (Array.isArray(before) || Array.isArray(after)) {
    const change = describeListChange(path, asList(before), asList(after));
    if (change !== '') into.push(change);
    return;
  }
  if (isRecord(before) || isRecord(after)) {
    const [old, next] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}];
    const keys = new Set([...Object.keys(old), ...Object.keys(next)]);
    for (const key of keys) collectChanges(old[key], next[key], path === '' ? key : `${path}.${key}`, into);
    return;
  }
  into.push(`${shortPath(path)} ${describeScalarChange(before, after)}`);
}

/** Which claim a volume is for, in one word instead of six fields. */
function describeReference(before: unknown, after: unknown): string {
  if (!isRecord(after)) return 'claimRef cleared';
  const claim = `${show(after['namespace'] ?? '')}/${show(after['name'] ?? '')}`;
  if (!isRecord(before)) return `claimRef ${claim}`;
  if (after['uid'] === undefined) return `claimRef ${claim}, uid cleared`;
  return before['uid'] === undefined ? `claimRef uid ${show(after['uid'])}` : `claimRef ${claim}`;
}

function describeScalarChange(before: unknown, after: unknown): string {
  if (before === undefined || before === null) return show(after);
  if (after === undefined || after === null) return 'cleared';
  return `${show(before)} → ${show(after)}`;
}

/** Lists of words are compared as sets; lists of objects with a `type` or `name` by that. */
function describeListChange(path: string, before: readonly unknown[], after: readonly unknown[]): string {
  const name = shortPath(path);
  const [old, next] = [new Map(before.map(member)), new Map(after.map(member))];
  const added = [...next].filter(([key, text]) => old.get(key) !== text).map(([, text]) => `+${text}`);
  const removed = [...old.keys()].filter((key) => !next.has(key)).map((key) => `-${key}`);
  return added.length + removed.length === 0 ? '' : `${name} ${[...added, ...removed].join(' ')}`;
}

function member(item: unknown): [string, string] {
  if (!isRecord(item)) return [show(item), show(item)];
  const key = show(item['type'] ?? item['name'] ?? item['key'] ?? item);
  const said = ['status', 'reason', 'effect', 'value'].flatMap((field) =>
    item[field] === undefined ? [] : [show(item[field])],
  );
  return [key, said.length === 0 ? key : `${key}=${said.join('/')}`];
}

/** `pv.kubernetes.io/bind-completed` reads as `bind-completed`; beta twins keep their domain, or they would read alike. */
const withoutDomain = (key: string): string =>
  key.replace(/^(pv|volume|storageclass|snapshot\.storage)\.kubernetes\.io\//, '');

function shortPath(path: string): string {
  if (path.startsWith('metadata.annotations.'))
    return `annotation ${withoutDomain(path.slice('metadata.annotations.'.length))}`;
  if (path.startsWith('metadata.labels.')) return `label ${path.slice('metadata.labels.'.length)}`;
  return path.replace(/^(spec|status|metadata)\./, '');
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const show = (value: unknown): string => {
  if (typeof value === 'string') return quoteEmpty(value);
  return JSON.stringify(value) ?? '';
};
