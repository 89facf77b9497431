import { describe, expect, test } from 'vitest';
import { Pods } from '../kube/resources/pod.ts';
import { VolumeAttachments } from '../kube/resources/volume-attachment.ts';
import { collectionPath, deleteBody, listQuery, objectPath, queryOf, writeQuery } from './request-target.ts';

describe('request targets', () => {
  test.each([
    ['core, all namespaces', collectionPath(Pods, undefined), '/api/v1/pods'],
    ['core, one namespace', collectionPath(Pods, 'a'), '/api/v1/namespaces/a/pods'],
    ['group, no namespaces', objectPath(VolumeAttachments, 'csi-1'), '/apis/storage.k8s.io/v1/volumeattachments/csi-1'],
    ['below an object', objectPath(Pods, 'a/p', 'binding'), '/api/v1/namespaces/a/pods/p/binding'],
    [
      'resource that is below an object',
      objectPath({ ...Pods, subresource: 'scale' }, 'a/p'),
      '/api/v1/namespaces/a/pods/p/scale',
    ],
    ['name with odd characters', objectPath(Pods, 'a/..%2f?'), '/api/v1/namespaces/a/pods/..%252f%3F'],
  ])('%s -> its path', (_what, path, expected) => {
    expect(path).toBe(expected);
  });

  test('options -> query, without what is not set', () => {
    expect(queryOf(listQuery({ namespace: 'a', labelSelector: 'a=b,c in (d)', limit: 5 }))).toBe(
      '?labelSelector=a%3Db%2Cc+in+%28d%29&limit=5',
    );
    expect(queryOf(writeQuery({ fieldManager: 'm', dryRun: true }))).toBe('?fieldManager=m&dryRun=All');
    expect(queryOf(writeQuery({ dryRun: false }))).toBe('');
    expect(deleteBody({ gracePeriodSeconds: 0, dryRun: true })).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds: 0,
      dryRun: ['All'],
    });
  });
});
