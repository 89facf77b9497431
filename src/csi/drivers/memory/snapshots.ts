import { CsiStatusError } from '../../csi-error.ts';
import type { CsiController, CsiSnapshot } from '../../driver.ts';
import type { MemoryBackend, MemorySnapshot } from './backend.ts';
import { page, requireField } from './checks.ts';

type SnapshotRpcs = Pick<CsiController, 'createSnapshot' | 'deleteSnapshot' | 'listSnapshots' | 'getSnapshot'>;

export function snapshotRpcs(backend: MemoryBackend): SnapshotRpcs {
  return {
    createSnapshot: async ({ name, sourceVolumeId }) => {
      backend.require('CREATE_DELETE_SNAPSHOT');
      requireField(name, 'name');
      requireField(sourceVolumeId, 'source_volume_id');
      const existing = backend.snapshotNamed(name);
      if (existing === undefined) return { snapshot: answer(backend, createSnapshot(backend, name, sourceVolumeId)) };
      if (existing.sourceVolumeId === sourceVolumeId) return { snapshot: answer(backend, existing) };
      throw new CsiStatusError('ALREADY_EXISTS', `snapshot ${name} exists of volume ${existing.sourceVolumeId}`);
    },
    deleteSnapshot: async ({ snapshotId }) => {
      backend.require('CREATE_DELETE_SNAPSHOT');
      requireField(snapshotId, 'snapshot_id');
      const snapshot = backend.snapshot(snapshotId);
      if (snapshot === undefined) return {};
      backend.removeSnapshot(snapshot);
      backend.report({ call: 'DeleteSnapshot', volumeId: snapshot.sourceVolumeId, snapshotId });
      return {};
    },
    listSnapshots: async (request) => {
      backend.require('LIST_SNAPSHOTS');
      const { items, nextToken } = page(matching(backend, request), request);
      return { entries: items.map((snapshot) => ({ snapshot: toCsi(snapshot) })), nextToken };
    },
    getSnapshot: async ({ snapshotId }) => {
      backend.require('GET_SNAPSHOT');
      requireField(snapshotId, 'snapshot_id');
      const snapshot = backend.snapshot(snapshotId);
      if (snapshot === undefined) throw new CsiStatusError('NOT_FOUND', `snapshot ${snapshotId} does not exist`);
      return { snapshot: toCsi(snapshot) };
    },
  };
}

function createSnapshot(backend: MemoryBackend, name: string, sourceVolumeId: string): MemorySnapshot {
  const snapshot = backend.cut(backend.existing(sourceVolumeId), name);
  backend.report({ call: 'CreateSnapshot', volumeId: sourceVolumeId, snapshotId: snapshot.snapshotId });
  return snapshot;
}

/** Post-processing is counted in answers, not in time: each CreateSnapshot answer brings the snapshot nearer to ready. */
function answer(backend: MemoryBackend, snapshot: MemorySnapshot): CsiSnapshot {
  if (snapshot.readyToUse) return toCsi(snapshot);
  const unreadyAnswers = snapshot.unreadyAnswers - 1;
  backend.putSnapshot({ ...snapshot, unreadyAnswers, readyToUse: unreadyAnswers === 0 });
  return toCsi(snapshot);
}

function matching(
  backend: MemoryBackend,
  filter: { readonly snapshotId: string; readonly sourceVolumeId: string },
): readonly MemorySnapshot[] {
  return [...backend.snapshots()].filter(
    (snapshot) =>
      (filter.snapshotId === '' || snapshot.snapshotId === filter.snapshotId) &&
      (filter.sourceVolumeId === '' || snapshot.sourceVolumeId === filter.sourceVolumeId),
  );
}

function toCsi({
  sizeBytes,
  snapshotId,
  sourceVolumeId,
  creationTime,
  readyToUse,
  groupSnapshotId,
}: MemorySnapshot): CsiSnapshot {
  return { sizeBytes, snapshotId, sourceVolumeId, creationTime, readyToUse, groupSnapshotId };
}
