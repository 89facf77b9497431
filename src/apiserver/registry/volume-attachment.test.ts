import { describe, expect, it } from 'vitest';
import { decoded, told, toldOfChange, toldOfNew } from './makers.ts';
import { volumeAttachmentStrategy as strategy } from './volume-attachment.ts';

const INLINE = { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } };
const attachment = (spec: object = {}, rest: object = {}) => ({
  spec: { attacher: 'disk.example.com', nodeName: 'node-a', source: { persistentVolumeName: 'pv' }, ...spec },
  ...rest,
});
const ONE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

describe('VolumeAttachment', () => {
  it.each<[string, object, readonly string[]]>([
    ['no source -> required', { source: {} }, [`spec.source: Required value: ${ONE}`]],
    [
      'both sources -> forbidden',
      { source: { persistentVolumeName: 'pv', inlineVolumeSpec: INLINE } },
      [`spec.source: Forbidden: ${ONE}`],
    ],
    ['inline volume -> fine', { source: { inlineVolumeSpec: INLINE } }, []],
    [
      'inline volume with capacity and without CSI -> refused thrice',
      { source: { inlineVolumeSpec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } } },
      [
        'spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes',
        'spec.source.inlineVolumeSpec: Required value: must specify a volume type',
      ],
    ],
    ['no attacher -> required', { attacher: '' }, ['spec.attacher: Required value']],
    [
      'attacher of 64 letters -> too long',
      { attacher: 'a'.repeat(64) },
      ['spec.attacher: Too long: may not be more than 63 bytes'],
    ],
  ])('P-REG-2 %s', (_situation, spec, expected) => {
    expect(toldOfNew(strategy, attachment(spec))).toEqual(expected);
  });

  it('P-REG-11 another node -> the whole spec is told as immutable', () => {
    expect(toldOfChange(strategy, attachment(), attachment({ nodeName: 'node-b' }))).toEqual([
      'spec: Invalid value: {"Attacher":"disk.example.com","Source":{"PersistentVolumeName":"pv","InlineVolumeSpec":null},"NodeName":"node-b"}: field is immutable',
    ]);
  });

  it('P-REG-4 created as attached -> not attached', () => {
    const sent = decoded(strategy, attachment({}, { status: { attached: true, attachmentMetadata: { a: 'b' } } }));
    expect(strategy.prepareForCreate?.(sent, { now: 0 }).status).toEqual({ attached: false });
  });

  it('P-REG-11 a write to the status -> no label, finalizer or spec changes', () => {
    const old = decoded(strategy, attachment({}, { metadata: { name: 'a', labels: { x: 'y' } } }));
    const sent = decoded(
      strategy,
      attachment(
        { nodeName: 'node-b' },
        { metadata: { name: 'a', finalizers: ['example.com/x'] }, status: { attached: true } },
      ),
    );
    const stored = strategy.prepareForStatusUpdate?.(sent, old, { now: 0 });
    expect(stored).toMatchObject({ metadata: { labels: { x: 'y' } }, spec: old.spec, status: { attached: true } });
    expect(stored?.metadata).not.toHaveProperty('finalizers');
  });

  it('P-REG-11 an error of 1025 bytes -> too long', () => {
    const old = decoded(strategy, attachment());
    const sent = decoded(
      strategy,
      attachment({}, { status: { attached: false, attachError: { message: 'x'.repeat(1025) } } }),
    );
    expect(told(strategy.validateStatusUpdate?.(sent, old) ?? [])).toEqual([
      'status.attachError.message: Too long: may not be more than 262144 bytes',
    ]);
  });
});
