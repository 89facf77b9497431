import { describe, expect, it } from 'vitest';
import { type AttachmentParts, anAttachment } from '../../../test/attachdetach/makers.ts';
import { isNews } from './attachment-change.ts';

const error = (message: string) => ({ message, time: '2026-01-01T00:00:00Z' });
const next = (parts: AttachmentParts) =>
  anAttachment({ ...parts, metadata: { resourceVersion: '2', ...parts.metadata } });

describe('isNews', () => {
  it.each<[string, AttachmentParts, AttachmentParts, boolean]>([
    ['the finalizer came -> news', {}, { metadata: { finalizers: ['x/y'] } }, true],
    ['attached -> news', {}, { status: { attached: true } }, true],
    ['P-ATT-5 only an attachError came -> no news', {}, { status: { attachError: error('a') } }, false],
    [
      'P-ATT-5 only the attachError changed -> no news',
      { status: { attachError: error('a') } },
      { status: { attachError: error('b') } },
      false,
    ],
    [
      'only a detachError came -> no news',
      { deleting: true },
      { deleting: true, status: { detachError: error('a') } },
      false,
    ],
    [
      'deletion while there is an error -> news',
      { status: { attachError: error('a') } },
      { deleting: true, status: { attachError: error('a') } },
      true,
    ],
    [
      'attached and the error gone -> news',
      { status: { attachError: error('a') } },
      { status: { attached: true } },
      true,
    ],
  ])('%s', (_name, before, object, expected) => {
    expect(isNews({ type: 'updated', before: anAttachment(before), object: next(object) })).toBe(expected);
  });

  it('added -> news; the periodic look -> news; gone -> no news', () => {
    const object = anAttachment({ status: { attachError: error('a') } });
    expect([
      isNews({ type: 'added', object }),
      isNews({ type: 'updated', before: object, object }),
      isNews({ type: 'deleted', object }),
    ]).toEqual([true, true, false]);
  });
});
