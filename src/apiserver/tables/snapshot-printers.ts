// Tables of the snapshot kinds, which a real cluster has by definition: their columns name paths, a missing value is no cell.
// kubernetes-csi/external-snapshotter:client/config/crd
import type { KubeObject } from '../../kube/object.ts';
import { ageOf } from './age.ts';
import { at } from './field.ts';
import { type Cell, type Column, NAME, type Printer, boolean, integer, text } from './printer.ts';

type PathColumn = readonly [column: Column, path: string];

const date = (name: string): Column => ({ name, type: 'date', format: '', priority: 0 });
const AGE_BY_DATE: PathColumn = [date('Age'), 'metadata.creationTimestamp'];

function pathPrinter(columns: readonly PathColumn[]): Printer {
  return {
    columns: [NAME, ...columns.map(([column]) => column)],
    cells: (object, now) => [
      object.metadata.name,
      ...columns.map(([column, path]) => cellAt(object, column, path, now)),
    ],
  };
}

function cellAt(object: KubeObject, { type }: Column, path: string, now: number): Cell {
  const value = at(object, path);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return type === 'string' ? String(value) : value;
  if (typeof value !== 'string') return null;
  return type === 'date' ? ageOf(value, now) : value;
}

export const snapshotPrinter = pathPrinter([
  [boolean('ReadyToUse'), 'status.readyToUse'],
  [text('SourcePVC'), 'spec.source.persistentVolumeClaimName'],
  [text('SourceSnapshotContent'), 'spec.source.volumeSnapshotContentName'],
  [text('RestoreSize'), 'status.restoreSize'],
  [text('SnapshotClass'), 'spec.volumeSnapshotClassName'],
  [text('SnapshotContent'), 'status.boundVolumeSnapshotContentName'],
  [date('CreationTime'), 'status.creationTime'],
  AGE_BY_DATE,
]);

export const snapshotContentPrinter = pathPrinter([
  [boolean('ReadyToUse'), 'status.readyToUse'],
  [integer('RestoreSize'), 'status.restoreSize'],
  [text('DeletionPolicy'), 'spec.deletionPolicy'],
  [text('Driver'), 'spec.driver'],
  [text('VolumeSnapshotClass'), 'spec.volumeSnapshotClassName'],
  [text('VolumeSnapshot'), 'spec.volumeSnapshotRef.name'],
  [text('VolumeSnapshotNamespace'), 'spec.volumeSnapshotRef.namespace'],
  AGE_BY_DATE,
]);

export const snapshotClassPrinter = pathPrinter([
  [text('Driver'), 'driver'],
  [text('DeletionPolicy'), 'deletionPolicy'],
  AGE_BY_DATE,
]);
