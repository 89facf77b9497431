import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../kube/resources/json-schema-props.ts';
import { RuleError } from '../../customresources/rule-engine.ts';
import { loadCel } from './cel.ts';

const SPEC: JsonSchema = {
  type: 'object',
  properties: {
    size: { type: 'integer' },
    ratio: { type: 'number' },
    name: { type: 'string' },
    'x-y': { type: 'string' },
    namespace: { type: 'string' },
    since: { type: 'string', format: 'date-time' },
    every: { type: 'string', format: 'duration' },
    tags: { type: 'array', items: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    storage: { type: 'string' },
  },
};
const SCOPE = { schema: SPEC, isObject: false, hasOptionalOld: false };

const HOLDS: readonly { readonly rule: string; readonly self: unknown; readonly old?: unknown }[] = (
  [
    ['self.size > 1', { size: 2 }],
    ['self.ratio * 2.0 == 1.0', { ratio: 0.5 }],
    ['!has(self.name) || self.name.startsWith("a")', {}],
    ['self.x__dash__y == "z"', { 'x-y': 'z' }],
    ['self.__namespace__ == "n"', { namespace: 'n' }],
    ['self.since < timestamp("2027-01-01T00:00:00Z")', { since: '2026-01-01T00:00:00Z' }],
    ['self.every >= duration("1m")', { every: '90s' }],
    ['self.tags.all(t, t.size() < 4) && self.tags.isSorted()', { tags: ['a', 'b'] }],
    ['"a/b" in self.labels && self.labels["a/b"] == "1"', { labels: { 'a/b': '1' } }],
    ['quantity(self.storage).isGreaterThan(quantity("1Gi"))', { storage: '2Gi' }],
    ['self.name.find("[0-9]+") == "12"', { name: 'a12b' }],
    ['self.name.replace("a", "b") == "bb"', { name: 'ab' }],
    ['self.size >= oldSelf.size', { size: 2 }, { size: 1 }],
    ['self == oldSelf', { tags: ['a'] }, { tags: ['a'] }],
  ] as const
).map(([rule, self, old]: readonly [string, unknown, unknown?]) => ({ rule, self, old }));

describe('loadCel', () => {
  it.each(HOLDS)('$rule -> holds', async ({ rule, self, old }) => {
    const engine = await loadCel();
    const expression = engine.compile(rule, SCOPE);
    expect(expression.evaluate(self, old === undefined ? undefined : { value: old })).toBe(true);
    expect(expression.usesOldSelf).toBe(rule.includes('oldSelf'));
  });

  it('a field that is not declared -> refused where it stands', async () => {
    const engine = await loadCel();
    expect(() => engine.compile('self.nope > 1', SCOPE)).toThrow(
      "ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^",
    );
  });

  it.each(['self.size >', 'nosuch(self)', '1 + "a"'])('%s -> refused', async (rule) => {
    const engine = await loadCel();
    expect(() => engine.compile(rule, SCOPE)).toThrow(RuleError);
  });

  it('a missing field at run time -> a RuleError in upstream words', async () => {
    const engine = await loadCel();
    expect(() => engine.compile('self.size > 1', SCOPE).evaluate({}, undefined)).toThrow('no such key: size');
  });

  it('an optional oldSelf -> judges what was not there before', async () => {
    const engine = await loadCel();
    const rule = engine.compile('oldSelf.hasValue() || self.size == 1', { ...SCOPE, hasOptionalOld: true });
    expect([rule.evaluate({ size: 1 }, undefined), rule.evaluate({ size: 2 }, undefined)]).toEqual([true, false]);
    expect(rule.evaluate({ size: 2 }, { value: { size: 1 } })).toBe(true);
  });

  it('a whole object -> type and names are seen', async () => {
    const engine = await loadCel();
    const rule = engine.compile('self.metadata.name == "a" && self.kind == "K"', { ...SCOPE, isObject: true });
    expect(rule.evaluate({ kind: 'K', metadata: { name: 'a', uid: 'u' } }, undefined)).toBe(true);
  });
});
