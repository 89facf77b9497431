import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_RESOURCES } from '../../kube/schema-table.ts';
import { apiVersionOf } from '../../kube/object.ts';
import { WireWriter } from '../../grpc/wire-writer.ts';
import { readProtobuf } from './protobuf-body.ts';
import { MalformedBody } from './request-body.ts';

function body(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.raw(Buffer.from('k8s\0'));
  writer.message(1, () => {
    writer.string(1, apiVersion);
    writer.string(2, kind);
  });
  writer.bytes(2, raw);
  return writer.finish();
}

function readOrRefused(bytes: Uint8Array): unknown {
  try {
    return readProtobuf(bytes);
  } catch (error) {
    if (!(error instanceof MalformedBody)) throw error;
    return undefined;
  }
}

/** Keys and lengths that are often right, so that what follows them is looked at. */
const likely = fc
  .array(
    fc.oneof(
      fc.tuple(fc.integer({ min: 1, max: 20 }), fc.uint8Array({ maxLength: 12 })).map(([number, inner]) => {
        const writer = new WireWriter();
        writer.bytes(number, inner);
        return Uint8Array.from(writer.finish());
      }),
      fc.tuple(fc.integer({ min: 1, max: 20 }), fc.maxSafeInteger()).map(([number, value]) => {
        const writer = new WireWriter();
        writer.integer(number, value);
        return Uint8Array.from(writer.finish());
      }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts));

describe('protobuf bodies', () => {
  test('P-PB-1 any bytes -> a value or a MalformedBody, nothing else', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => void readOrRefused(bytes)));
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        readOrRefused(Buffer.concat([Buffer.from('k8s\0'), bytes]));
      }),
    );
  });

  test('P-PB-1 any bytes said to be any built-in kind -> JSON of that kind or a MalformedBody', () => {
    const kinds = fc.constantFrom(...BUILT_IN_RESOURCES);
    fc.assert(
      fc.property(kinds, likely, fc.uint8Array({ maxLength: 30 }), (resource, good, rubbish) => {
        for (const raw of [good, rubbish, Buffer.concat([good, rubbish])]) {
          const value = readOrRefused(body(apiVersionOf(resource), resource.kind, raw));
          if (value === undefined) continue;
          expect(value).toMatchObject({ kind: resource.kind });
          expect(JSON.parse(JSON.stringify(value))).toEqual(value);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
