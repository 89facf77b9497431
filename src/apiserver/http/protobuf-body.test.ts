import { describe, expect, test } from 'vitest';
import { WireWriter } from '../../grpc/wire-writer.ts';
import { readProtobuf } from './protobuf-body.ts';

type Write = (writer: WireWriter) => void;

function body(apiVersion: string, kind: string, write: Write): Uint8Array {
  const inner = new WireWriter();
  write(inner);
  const writer = new WireWriter();
  writer.raw(Buffer.from('k8s\0'));
  writer.message(1, () => {
    writer.string(1, apiVersion);
    writer.string(2, kind);
  });
  writer.bytes(2, inner.finish());
  return writer.finish();
}
const metadata =
  (write: Write): Write =>
  (writer) =>
    writer.message(1, () => write(writer));

describe('protobuf bodies', () => {
  test.each<readonly [string, Uint8Array, object]>([
    [
      'empty texts and zeros of fields that are left out when empty -> absent',
      body(
        'v1',
        'ConfigMap',
        metadata((writer) => ['a', '', '', ''].forEach((text, index) => writer.string(index + 1, text))),
      ),
      { metadata: { name: 'a' } },
    ],
    [
      'time without a value -> absent; time -> seconds',
      body(
        'v1',
        'ConfigMap',
        metadata((writer) => {
          writer.message(8, () => undefined);
          writer.message(9, () => {
            writer.integer(1, 1_600_000_000);
            writer.integer(2, 5);
          });
        }),
      ),
      { metadata: { deletionTimestamp: '2020-09-13T12:26:40Z' } },
    ],
    [
      'time of the year 1960, with a fraction of a microsecond -> cut',
      body('coordination.k8s.io/v1', 'Lease', (writer) =>
        writer.message(2, () =>
          writer.message(4, () => {
            writer.integer(1, -300_000_000);
            writer.integer(2, 1234567);
          }),
        ),
      ),
      { spec: { renewTime: '1960-06-29T18:40:00.001234Z' } },
    ],
    [
      'bytes -> base64; maps',
      body('v1', 'Secret', (writer) => {
        writer.message(2, () => {
          writer.string(1, 'k');
          writer.bytes(2, Uint8Array.of(0, 255));
        });
        writer.string(3, 'Opaque');
      }),
      { data: { k: 'AP8=' }, type: 'Opaque' },
    ],
    [
      'number or text -> whichever it is',
      body('policy/v1', 'PodDisruptionBudget', (writer) =>
        writer.message(2, () => {
          writer.message(1, () => writer.integer(2, 3));
          writer.message(3, () => {
            writer.integer(1, 1);
            writer.string(3, '50%');
          });
        }),
      ),
      { spec: { minAvailable: 3, maxUnavailable: '50%' } },
    ],
    [
      'explicit zero of an option -> kept, whatever group the options are of',
      body('policy/v1', 'DeleteOptions', (writer) => {
        writer.integer(1, 0);
        writer.string(4, 'Background');
      }),
      { gracePeriodSeconds: 0, propagationPolicy: 'Background' },
    ],
    [
      'map of lists -> its lists',
      body('authentication.k8s.io/v1', 'TokenReview', (writer) =>
        writer.message(3, () =>
          writer.message(2, () =>
            writer.message(4, () => {
              writer.string(1, 'scopes');
              writer.message(2, () => ['a', 'b'].forEach((each) => writer.string(1, each)));
            }),
          ),
        ),
      ),
      { status: { user: { extra: { scopes: ['a', 'b'] } } } },
    ],
    [
      'schema or list, schema or flag, schema or names, any JSON -> whichever it is',
      body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', (writer) => {
        const property = (name: string, write: Write): void =>
          writer.message(29, () => {
            writer.string(1, name);
            writer.message(2, () => write(writer));
          });
        const flagged =
          (flag: boolean): Write =>
          () =>
            writer.message(30, () => writer.bool(1, flag));
        const typed = (number: number, type: string): void => writer.message(number, () => writer.string(5, type));
        writer.message(2, () =>
          writer.message(7, () =>
            writer.message(4, () =>
              writer.message(1, () => {
                property('one', () => writer.message(24, () => typed(1, 'string')));
                property('many', () => writer.message(24, () => ['a', 'b'].forEach((type) => typed(2, type))));
                property('closed', flagged(false));
                property('open', flagged(true));
                property('values', () =>
                  writer.message(30, () => {
                    writer.bool(1, true);
                    typed(2, 'number');
                  }),
                );
                property('given', () => {
                  writer.message(8, () => writer.bytes(1, Buffer.from('{"a":1}')));
                  ['1', '"b"'].forEach((text) => writer.message(20, () => writer.bytes(1, Buffer.from(text))));
                  writer.message(32, () => {
                    writer.string(1, 'x');
                    writer.message(2, () => writer.string(2, 'y'));
                  });
                });
              }),
            ),
          ),
        );
      }),
      {
        spec: {
          versions: [
            {
              schema: {
                openAPIV3Schema: {
                  properties: {
                    one: { items: { type: 'string' } },
                    many: { items: [{ type: 'a' }, { type: 'b' }] },
                    closed: { additionalProperties: false },
                    open: { additionalProperties: true },
                    values: { additionalProperties: { type: 'number' } },
                    given: { default: { a: 1 }, enum: [1, 'b'], dependencies: { x: ['y'] } },
                  },
                },
              },
            },
          ],
        },
      },
    ],
    [
      'fields of an embedded message -> beside the others',
      body('v1', 'PersistentVolume', (writer) =>
        writer.message(2, () => {
          writer.message(2, () => writer.message(3, () => writer.string(1, '/data')));
          writer.string(5, 'Retain');
        }),
      ),
      { spec: { hostPath: { path: '/data' }, persistentVolumeReclaimPolicy: 'Retain' } },
    ],
    [
      'message embedded in an embedded one -> beside the others',
      body('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', (writer) =>
        writer.message(2, () =>
          writer.message(2, () =>
            writer.message(3, () => {
              writer.string(1, 'one');
              writer.message(2, () => {
                writer.string(1, 'CREATE');
                writer.message(2, () => writer.string(1, 'apps'));
              });
            }),
          ),
        ),
      ),
      {
        spec: {
          matchConstraints: {
            resourceRules: [{ resourceNames: ['one'], operations: ['CREATE'], apiGroups: ['apps'] }],
          },
        },
      },
    ],
  ])('P-PB-1 %s', (_what, bytes, expected) => {
    const { apiVersion: _apiVersion, kind: _kind, ...value } = readProtobuf(bytes) as Record<string, unknown>;
    expect(value).toEqual(expected);
  });

  test.each<readonly [string, Uint8Array, string]>([
    ['nothing', new Uint8Array(), 'empty data'],
    [
      'other bytes',
      Buffer.from('{}'),
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    ],
    ['envelope cut off', Buffer.from('k8s\0\n'), 'proto: unexpected EOF'],
    ['no kind', body('v1', '', () => undefined), "proto: Object 'Kind' is missing"],
    [
      'kind that is not built in',
      body('example.com/v1', 'Widget', () => undefined),
      'no kind "Widget" is registered for version "example.com/v1"',
    ],
    ['object cut off', body('v1', 'Pod', (writer) => writer.raw(Uint8Array.of(10, 200))), 'proto: unexpected EOF'],
  ])('P-PB-1 %s -> MalformedBody', (_what, bytes, why) => {
    expect(() => readProtobuf(bytes)).toThrow(why);
  });
});
