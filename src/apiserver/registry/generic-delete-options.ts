// kubernetes:staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go
import { invalid } from '../../kube/api-error.ts';
import type { DeleteOptions } from '../../kube/cluster.ts';
import { type FieldError, invalid as invalidField, notSupported } from '../../kube/field-error.ts';

/** As they come over the wire: with the option that propagationPolicy has replaced, and any text for a policy. */
export interface SentDeleteOptions extends DeleteOptions {
  readonly orphanDependents?: boolean;
}

/** The options without the replaced one. Throws Invalid. */
export function checkedDeleteOptions({ orphanDependents, ...options }: SentDeleteOptions): DeleteOptions {
  const faults = deleteOptionFaults(options, orphanDependents);
  if (faults.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', faults);
  if (orphanDependents === undefined) return options;
  return { ...options, propagationPolicy: orphanDependents ? 'Orphan' : 'Background' };
}

function deleteOptionFaults(
  { propagationPolicy: policy }: DeleteOptions,
  orphanDependents: boolean | undefined,
): readonly FieldError[] {
  if (policy === undefined) return [];
  const both = 'orphanDependents and deletionPropagation cannot be both set';
  const isKnown = ['Foreground', 'Background', 'Orphan'].includes(policy);
  return [
    ...(orphanDependents === undefined ? [] : [invalidField('propagationPolicy', policy, both)]),
    ...(isKnown ? [] : [notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil'])]),
  ];
}
