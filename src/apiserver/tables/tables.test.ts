import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import { BUILT_IN_RESOURCES } from '../../kube/schema-table.ts';
import { printerOf } from './tables.ts';

const NOW = Date.UTC(2026, 0, 5, 8);
const CREATED = '2026-01-05T07:55:00Z';

const object = (apiVersion: string, kind: string, parts: object, metadata: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'a', creationTimestamp: CREATED, ...metadata }, ...parts }) as KubeObject;
const cellsOf = (each: KubeObject): readonly unknown[] => printerOf(each).cells(each, NOW);

describe('printers', () => {
  it('P-TAB-3 an object of any kind with nothing in it -> a cell for each column', () => {
    for (const { group, version, kind } of BUILT_IN_RESOURCES) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const empty = object(apiVersion, kind, { spec: { source: {} }, status: { nodeInfo: {} } });
      const { columns } = printerOf(empty);
      // Upstream sends one cell too many for addresses.
      const extra = kind === 'IPAddress' ? 1 : 0;
      expect(cellsOf(empty), kind).toHaveLength(columns.length + extra);
    }
  });

  it('a kind nobody knows -> name and creation', () => {
    expect(cellsOf(object('example.com/v1', 'Gadget', {}))).toEqual(['a', CREATED]);
  });

  it('P-TAB-1 a bound claim that is being deleted -> Terminating, size and modes of its status', () => {
    const claim = object(
      'v1',
      'PersistentVolumeClaim',
      {
        spec: { volumeName: 'pv', storageClassName: 'fast' },
        status: { phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
      },
      { deletionTimestamp: CREATED },
    );
    expect(cellsOf(claim)).toEqual(['a', 'Terminating', 'pv', '5Gi', 'RWO,RWX', 'fast', '<unset>', '5m', '<unset>']);
  });

  it('P-TAB-1 a job that has ended -> its status, completions and duration', () => {
    const job = object('batch/v1', 'Job', {
      spec: { completions: 2, template: { spec: { containers: [{ name: 'c', image: 'i' }] } } },
      status: {
        succeeded: 2,
        startTime: '2026-01-05T07:00:00Z',
        completionTime: '2026-01-05T07:02:05Z',
        conditions: [{ type: 'Complete', status: 'True' }],
      },
    });
    expect(cellsOf(job)).toEqual(['a', 'Complete', '2/2', '2m5s', '5m', 'c', 'i', '<none>']);
  });

  it('P-TAB-1 an autoscaler with current figures -> now and wanted', () => {
    const metric = (name: string): object => ({
      type: 'Resource',
      resource: { name, target: { averageUtilization: 80 } },
    });
    const autoscaler = object('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 5, metrics: [metric('cpu')] },
      status: { currentReplicas: 2, currentMetrics: [{ resource: { current: { averageUtilization: 41 } } }] },
    });
    expect(cellsOf(autoscaler)).toEqual(['a', 'Deployment/web', 'cpu: 41%/80%', '<unset>', 5, 2, '5m']);
  });

  it('P-TAB-1 a snapshot -> its columns by path, nothing where there is nothing', () => {
    const snapshot = object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', {
      spec: { source: { persistentVolumeClaimName: 'data' } },
      status: { readyToUse: true, restoreSize: '1Gi', creationTime: '2026-01-05T07:59:00Z' },
    });
    expect(cellsOf(snapshot)).toEqual(['a', true, 'data', null, '1Gi', null, null, '60s', '5m']);
  });
});
