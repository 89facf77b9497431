import * as fc from 'fast-check';
import fastJsonPatch from 'fast-json-patch';
import { expect, test } from 'vitest';
import { StatusError } from '../api-error.ts';
import type { JsonPatchOp } from '../cluster.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { shapeObject } from '../go-shape.ts';
import { type JsonObject, isJsonObject } from '../json.ts';
import { Pods } from '../resources/pod.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch, mergePatchBetween } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge-patch.ts';

const key = fc.constantFrom('a', 'b', 'c', 'x/y', 'x~y');
const { object: anyJsonObject } = fc.letrec<{ object: Record<string, unknown>; value: unknown }>((tie) => ({
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('', 's', 0, 1, true),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
}));
const anyObject = anyJsonObject.map((object): JsonObject => deepFreeze(object));

const token = fc.constantFrom('a', 'b', 'c', 'x~1y', 'x~0y', '0', '1', '-');
const pointer = fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => `/${tokens.join('/')}`);
const anyOp: fc.Arbitrary<JsonPatchOp> = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value: anyJsonObject }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc
    .record({ op: fc.constantFrom('move', 'copy'), from: pointer, path: pointer })
    .filter(({ from, path }) => !path.startsWith(from)),
);

test('P-KUBE-10 a JSON patch that an independent library accepts -> the same result', () => {
  fc.assert(
    fc.property(anyObject, fc.array(anyOp, { minLength: 1, maxLength: 3 }), (document, ops) => {
      let expected: unknown;
      try {
        expected = fastJsonPatch.applyPatch(
          fastJsonPatch.deepClone(document),
          fastJsonPatch.deepClone(ops) as never,
          true,
        ).newDocument;
      } catch {
        return;
      }
      expect(applyJsonPatch(document, ops)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test('P-KUBE-10 a JSON patch that the library made from two documents -> turns one into the other', () => {
  fc.assert(
    fc.property(anyObject, anyObject, (before, after) => {
      const ops = fastJsonPatch.compare(before, after) as unknown as readonly JsonPatchOp[];
      expect(applyJsonPatch(before, ops)).toEqual(after);
    }),
    { numRuns: 300 },
  );
});

test('P-KUBE-10 the merge patch between two objects -> turns one into the other, and twice is once', () => {
  fc.assert(
    fc.property(anyObject, anyObject, (before, after) => {
      const patch = mergePatchBetween(before, after);
      const once = applyMergePatch(before, patch);
      expect(once).toEqual(after);
      expect(applyMergePatch(once, patch)).toEqual(once);
    }),
    { numRuns: 300 },
  );
});

const name = fc.constantFrom('c', 'd', 'e');
const env = fc.uniqueArray(fc.record({ name: fc.constantFrom('E', 'F'), value: fc.constantFrom('1', '2') }), {
  selector: (each) => each.name,
  maxLength: 2,
});
const container = fc.record({ name, image: fc.constantFrom('i', 'j'), env }, { requiredKeys: ['name'] });
const anyPod = fc.record({
  metadata: fc.record(
    {
      labels: fc.dictionary(key, fc.constantFrom('1', '2'), { maxKeys: 3 }),
      finalizers: fc.uniqueArray(fc.constantFrom('f/a', 'f/b', 'f/c')),
    },
    { requiredKeys: [] },
  ),
  spec: fc.record(
    {
      containers: fc.uniqueArray(container, { selector: (each) => each.name, maxLength: 3 }),
      nodeName: fc.constantFrom('n', 'm'),
    },
    { requiredKeys: [] },
  ),
});
const patchPod = (object: unknown, patch: unknown): unknown => {
  if (!isJsonObject(object) || Pods.schema === undefined)
    throw new StatusError({ code: 500, reason: 'Unknown', message: 'no object' });
  return shapeObject(Pods, applyStrategicMergePatch(object, patch, Pods.schema));
};

test('P-KUBE-11 a strategic patch with nothing, or with the object itself -> the object itself', () => {
  fc.assert(
    fc.property(anyPod, (draft) => {
      const pod = shapeObject(Pods, draft);
      expect(patchPod(pod, {})).toBe(pod);
      expect(patchPod(pod, pod)).toEqual(pod);
    }),
  );
});

test('P-KUBE-11 the same strategic patch twice -> as once', () => {
  fc.assert(
    fc.property(anyPod, anyPod, (draft, patch) => {
      const once = patchPod(shapeObject(Pods, draft), deepFreeze(patch));
      expect(patchPod(once, patch)).toEqual(once);
    }),
    { numRuns: 300 },
  );
});
