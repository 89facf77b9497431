import { expect, test } from 'vitest';
import { selectorText } from './selector-text.ts';

test.each([
  ['none', undefined, 'nil'],
  ['empty', {}, '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}'],
  [
    'labels in order of their keys',
    { matchLabels: { b: '2', a: '1' } },
    '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}',
  ],
  [
    'expressions',
    { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] },
    '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:In,Values:[x y],},},}',
  ],
])('%s', (_, selector, text) => {
  expect(selectorText(selector)).toBe(text);
});
