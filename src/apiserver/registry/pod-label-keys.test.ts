import { describe, expect, it } from 'vitest';
import { toldOfNew, decoded } from './makers.ts';
import { podStrategy as strategy } from './pod.ts';

const labels = { app: 'db', tenant: 't' };
const pod = (spec: object, metadata: object = {}) => ({
  metadata: { name: 'a', labels, ...metadata },
  spec: { containers: [{ name: 'c', image: 'busybox:1.36' }], ...spec },
});
const term = (rest: object) => ({ topologyKey: 'zone', ...rest });
const needed = (rest: object) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term(rest)] });
const preferred = (rest: object) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(rest) }],
});
const spread = (rest: object) => ({ maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...term(rest) });
const created = (typed: object) => strategy.prepareForCreate?.(decoded(strategy, typed), { now: 0 })?.spec;

describe('label keys of a new pod', () => {
  const keys = { matchLabelKeys: ['tenant', 'none'] };
  const mergedIn = { key: 'tenant', operator: 'In', values: ['t'] };
  const apart = { mismatchLabelKeys: ['tenant'] };
  const mergedNotIn = { key: 'tenant', operator: 'NotIn', values: ['t'] };
  const exists = { key: 'x', operator: 'Exists' };

  it('P-REG-40 terms of every kind -> what the labels say after what was there', () => {
    const affinity = {
      podAffinity: { ...needed({ ...keys, labelSelector: {} }), ...preferred({ ...apart, labelSelector: {} }) },
      podAntiAffinity: needed({ ...keys, ...apart, labelSelector: { matchExpressions: [exists] } }),
    };
    expect(created(pod({ affinity }))?.affinity).toEqual({
      podAffinity: {
        ...needed({ ...keys, labelSelector: { matchExpressions: [mergedIn] } }),
        ...preferred({ ...apart, labelSelector: { matchExpressions: [mergedNotIn] } }),
      },
      podAntiAffinity: needed({
        ...keys,
        ...apart,
        labelSelector: { matchExpressions: [exists, mergedIn, mergedNotIn] },
      }),
    });
  });

  it('P-REG-40 spread -> the same', () => {
    const constraint = spread({ ...keys, labelSelector: { matchLabels: { a: 'b' } } });
    expect(created(pod({ topologySpreadConstraints: [constraint] }))?.topologySpreadConstraints).toEqual([
      { ...constraint, labelSelector: { matchLabels: { a: 'b' }, matchExpressions: [mergedIn] } },
    ]);
  });

  it.each<[string, object, object]>([
    ['no selector -> as it is', { ...keys }, {}],
    ['no labels -> as it is', { ...keys, labelSelector: {} }, { labels: {} }],
  ])('P-REG-40 %s', (_case, rest, metadata) => {
    const affinity = { podAffinity: needed(rest) };
    expect(created(pod({ affinity }, metadata))?.affinity).toEqual(affinity);
  });
});

describe('bad label keys', () => {
  const at = 'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]';
  const selector = {
    labelSelector: { matchLabels: { app: 'db' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
  };

  it.each<[string, object, readonly string[]]>([
    [
      'no selector -> forbidden',
      { matchLabelKeys: ['x'], mismatchLabelKeys: ['y'] },
      [
        `${at}.matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
        `${at}.mismatchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
      ],
    ],
    [
      'selected by already -> invalid',
      { ...selector, matchLabelKeys: ['x', 'app'] },
      [`${at}[1]: Invalid value: "app": exists in both matchLabelKeys and labelSelector`],
    ],
    ['selected by already, must differ -> fine', { ...selector, mismatchLabelKeys: ['app'] }, []],
    [
      'in both -> invalid',
      { labelSelector: {}, matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] },
      [`${at}.matchLabelKeys[0]: Invalid value: "x": exists in both matchLabelKeys and mismatchLabelKeys`],
    ],
  ])('P-REG-17 %s', (_case, rest, told) => {
    expect(toldOfNew(strategy, pod({ affinity: { podAffinity: needed(rest) } }))).toEqual(told);
  });

  it('P-REG-17 two constraints for one thing -> the first is told of', () => {
    const constraint = spread({ labelSelector: {} });
    expect(toldOfNew(strategy, pod({ topologySpreadConstraints: [constraint, constraint] }))).toEqual([
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, DoNotSchedule}"',
    ]);
  });
});

describe('tolerations in an annotation', () => {
  const key = 'scheduler.alpha.kubernetes.io/tolerations';
  const unread = `metadata.annotations: Invalid value: "${key}":`;
  const at = `metadata.annotations.${key}[0]`;
  const into = (found: string, place: string) => [`${unread} json: cannot unmarshal ${found} into Go ${place}`];
  const keyless = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';

  it.each<[string, readonly string[]]>([
    ['', []],
    ['null', []],
    ['[{"Key":"a","OPERATOR":"Exists","other":1,"value":null}]', []],
    ['[{"effect":"NoExecute","tolerationSeconds":-9223372036854775808,"operator":"Exists"}]', []],
    ['x', [`${unread} invalid character 'x' looking for beginning of value`]],
    ['{}', into('object', 'value of type []core.Toleration')],
    ['[[]]', into('array', 'value of type core.Toleration')],
    ['[{"key":5}]', into('number', 'struct field Toleration.Key of type string')],
    ['[{"operator":{}}]', into('object', 'struct field Toleration.Operator of type core.TolerationOperator')],
    ['[{"effect":true}]', into('bool', 'struct field Toleration.Effect of type core.TaintEffect')],
    ['[{"tolerationSeconds":"1"}]', into('string', 'struct field Toleration.TolerationSeconds of type int64')],
    ['[{"tolerationSeconds":1e3}]', into('number 1e3', 'struct field Toleration.TolerationSeconds of type int64')],
    [
      '[{"tolerationSeconds":9223372036854775808}]',
      into('number 9223372036854775808', 'struct field Toleration.TolerationSeconds of type int64'),
    ],
    ['[null]', [`${at}.operator: Invalid value: "": ${keyless}`]],
    [
      '[{"key":"a","operator":"Lt","value":"3"}]',
      [`${at}.operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"`],
    ],
  ])('P-REG-17 %s', (text, told) => {
    expect(toldOfNew(strategy, pod({}, { annotations: { [key]: text } }))).toEqual(told);
  });
});
