import type { LabelSelector } from '../../kube/resources/meta.ts';

/** A selector as Go prints it in an Event. kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/generated.pb.go */
export function selectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nil';
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const labels = Object.keys(matchLabels)
    .toSorted()
    .map((key) => `${key}: ${matchLabels[key] ?? ''},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const parts = [
    `MatchLabels:map[string]string{${labels.join('')}}`,
    `MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}}`,
  ];
  return `&LabelSelector{${parts.join(',')},}`;
}
