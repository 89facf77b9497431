import { describe, expect, it } from 'vitest';
import { type AttachmentParts, anAttachment } from '../../../test/attachdetach/makers.ts';
import { decideAttachment } from './decide-attachment.ts';

const FINALIZER = 'external-attacher/csi-test';
const held = { metadata: { finalizers: [FINALIZER] } };

describe('decideAttachment', () => {
  it.each<[string, AttachmentParts, boolean, string]>([
    ['EA-01 new -> attach', {}, false, 'attach'],
    ['attached -> nothing', { status: { attached: true } }, false, 'nothing'],
    ['EA-08 attached, contradicted by the driver -> attach', { status: { attached: true } }, true, 'attach'],
    [
      'EA-05 being deleted with the finalizer -> detach',
      { ...held, deleting: true, status: { attached: true } },
      false,
      'detach',
    ],
    [
      'P-ATT-3 being deleted, never attached, with the finalizer -> detach',
      { ...held, deleting: true },
      false,
      'detach',
    ],
    [
      'EA-07 being deleted without the finalizer -> nothing',
      { deleting: true, status: { attached: true } },
      false,
      'nothing',
    ],
    ['being deleted without the finalizer, contradicted -> detach', { deleting: true }, true, 'detach'],
    [
      'being deleted with a foreign finalizer -> nothing',
      { deleting: true, metadata: { finalizers: ['other/x'] } },
      false,
      'nothing',
    ],
  ])('%s', (_name, parts, isForced, expected) => {
    expect(decideAttachment(anAttachment(parts), { finalizer: FINALIZER, isForced }).type).toBe(expected);
  });
});
