import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import { type ClaimParts, aClaim } from '../../volume/makers.ts';
import { isAttributesNews, isSizeNews } from './claim-news.ts';

const claim = (parts: ClaimParts = {}): PersistentVolumeClaim =>
  aClaim({ phase: 'Bound', resourceVersion: '2', ...parts });
const before = (parts: ClaimParts = {}): PersistentVolumeClaim => claim({ resourceVersion: '1', ...parts });
const status = (storage: string): ClaimParts => ({ status: { allocatedResourceStatuses: { storage } } });
const resizer = (value: string): ClaimParts => ({ annotations: { 'volume.kubernetes.io/storage-resizer': value } });

describe('changes of a claim that are looked at', () => {
  it.each<[string, PersistentVolumeClaim, PersistentVolumeClaim, boolean]>([
    ['more is asked for', before(), claim({ size: '2Gi' }), true],
    ['less is asked for', before({ size: '2Gi' }), claim(), true],
    ['the same, written otherwise', before(), claim({ size: '1024Mi' }), false],
    ['a label', before(), claim({ annotations: { a: 'b' } }), false],
    ['looked at again', claim(), claim(), true],
    ['its resizer is named', before(), claim(resizer('disk')), true],
    ['it has grown', before(), claim({ status: { capacity: { storage: '2Gi' } } }), true],
    ['the node cannot', before(status('NodeResizeInProgress')), claim(status('NodeResizeInfeasible')), true],
    ['the node begins', before(status('NodeResizePending')), claim(status('NodeResizeInProgress')), true],
    ['our own beginning', before(), claim(status('ControllerResizeInProgress')), false],
    ['our own end', before(status('ControllerResizeInProgress')), claim(status('NodeResizePending')), false],
  ])('P-RZ-3 size: %s -> news: %s', (_situation, then, object, expected) => {
    expect(isSizeNews({ type: 'updated', before: then, object })).toBe(expected);
  });

  it.each<[string, PersistentVolumeClaim, PersistentVolumeClaim, boolean]>([
    ['another class', before(), claim({ attributesClass: 'gold' }), true],
    ['nothing under way', before(), claim(), true],
    ['under way', before(), claim({ status: { modifyVolumeStatus: { status: 'InProgress' } } }), false],
    ['not bound', before(), claim({ attributesClass: 'gold', phase: 'Pending' }), false],
  ])('P-RZ-9 attributes: %s -> news: %s', (_situation, then, object, expected) => {
    expect(isAttributesNews({ type: 'updated', before: then, object })).toBe(expected);
  });

  it('a new claim is, one that is gone is not', () => {
    const object = claim();
    expect([isSizeNews({ type: 'added', object }), isSizeNews({ type: 'deleted', object })]).toEqual([true, false]);
    expect([isAttributesNews({ type: 'added', object }), isAttributesNews({ type: 'deleted', object })]).toEqual([
      true,
      false,
    ]);
  });
});
