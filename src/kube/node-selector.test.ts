import { describe, expect, test } from 'vitest';
import { matchesNodeSelector, matchesNodeSelectorTerm, matchesTopologySelectorTerms } from './node-selector.ts';

const node = { metadata: { name: 'n1', labels: { zone: 'a', gen: '7', hot: '' } } };
const expression = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });
const labels = (...matchExpressions: ReturnType<typeof expression>[]) => ({ matchExpressions });
const fields = (...matchFields: ReturnType<typeof expression>[]) => ({ matchFields });

describe('P-KUBE-5 a node selector term', () => {
  test.each([
    ['In, value there', labels(expression('zone', 'In', 'a', 'b')), true],
    ['In, other value', labels(expression('zone', 'In', 'b')), false],
    ['In, no label', labels(expression('rack', 'In', 'b')), false],
    ['NotIn, value there', labels(expression('zone', 'NotIn', 'a')), false],
    ['NotIn, no label', labels(expression('rack', 'NotIn', 'a')), true],
    ['Exists', labels(expression('hot', 'Exists')), true],
    ['Exists, no label', labels(expression('cold', 'Exists')), false],
    ['DoesNotExist', labels(expression('cold', 'DoesNotExist')), true],
    ['DoesNotExist, label there', labels(expression('hot', 'DoesNotExist')), false],
    ['Gt below', labels(expression('gen', 'Gt', '6')), true],
    ['Gt equal', labels(expression('gen', 'Gt', '7')), false],
    ['Lt above', labels(expression('gen', 'Lt', '8')), true],
    ['Lt equal', labels(expression('gen', 'Lt', '7')), false],
    ['Gt, label no number', labels(expression('zone', 'Gt', '1')), false],
    ['Gt, two bounds', labels(expression('gen', 'Gt', '1', '2')), false],
    ['Gt, bound no number', labels(expression('gen', 'Gt', 'x')), false],
    ['all expressions hold', labels(expression('zone', 'In', 'a'), expression('gen', 'Gt', '6')), true],
    ['one expression fails', labels(expression('zone', 'In', 'a'), expression('gen', 'Gt', '9')), false],
    ['one expression malformed', labels(expression('zone', 'In', 'a'), expression('gen', 'In')), false],
    ['unknown operator', labels(expression('zone', 'Like', 'a')), false],
    ['empty', {}, false],
    ['name is', fields(expression('metadata.name', 'In', 'n1')), true],
    ['name is another', fields(expression('metadata.name', 'In', 'n2')), false],
    ['name is not', fields(expression('metadata.name', 'NotIn', 'n2')), true],
    ['two names', fields(expression('metadata.name', 'In', 'n1', 'n2')), false],
    ['name exists', fields(expression('metadata.name', 'Exists')), false],
    ['another field', fields(expression('spec.unschedulable', 'In', 'true')), false],
    ['another field, not', fields(expression('spec.unschedulable', 'NotIn', 'true')), true],
    [
      'name and label',
      { ...labels(expression('zone', 'In', 'a')), ...fields(expression('metadata.name', 'In', 'n1')) },
      true,
    ],
    [
      'name but not label',
      { ...labels(expression('zone', 'In', 'b')), ...fields(expression('metadata.name', 'In', 'n1')) },
      false,
    ],
  ])('%s -> %s', (_situation, term, matches) => {
    expect(matchesNodeSelectorTerm(term, node)).toBe(matches);
    expect(matchesNodeSelectorTerm(term, node)).toBe(matches);
  });

  test('a node without labels -> only absences hold', () => {
    expect(matchesNodeSelectorTerm(labels(expression('zone', 'DoesNotExist')), { metadata: { name: 'x' } })).toBe(true);
    expect(matchesNodeSelectorTerm(labels(expression('zone', 'Exists')), { metadata: { name: 'x' } })).toBe(false);
  });
});

describe('P-KUBE-5 a node selector', () => {
  test('one of several terms -> match; none of them or no terms -> none', () => {
    const yes = labels(expression('zone', 'In', 'a'));
    const no = labels(expression('zone', 'In', 'b'));
    expect(matchesNodeSelector({ nodeSelectorTerms: [no, yes] }, node)).toBe(true);
    expect(matchesNodeSelector({ nodeSelectorTerms: [no, {}] }, node)).toBe(false);
    expect(matchesNodeSelector({ nodeSelectorTerms: [] }, node)).toBe(false);
  });
});

describe('P-KUBE-5 topology selector terms', () => {
  const term = (key: string, ...values: string[]) => ({ matchLabelExpressions: [{ key, values }] });
  test.each([
    ['no terms', undefined, true],
    ['empty list', [], true],
    ['empty term', [{}], false],
    ['value there', [term('zone', 'a', 'b')], true],
    ['value not there', [term('zone', 'b')], false],
    ['label not there', [term('rack', 'b')], false],
    ['no values', [term('zone')], false],
    ['second term', [term('zone', 'b'), term('gen', '7')], true],
    [
      'two expressions',
      [
        {
          matchLabelExpressions: [
            { key: 'zone', values: ['a'] },
            { key: 'gen', values: ['8'] },
          ],
        },
      ],
      false,
    ],
  ])('%s -> %s', (_situation, terms, matches) => {
    expect(matchesTopologySelectorTerms(terms, node.metadata.labels)).toBe(matches);
  });
});
