// kubernetes:pkg/util/tolerations/tolerations.go
import type { Toleration } from '../../kube/resources/node-selector.ts';
import { sameValue } from '../registry/semantic-equal.ts';

/** Without those that tolerate nothing that another does not; of equal ones the first stays. */
export function mergedTolerations(all: readonly Toleration[]): readonly Toleration[] {
  const merged: Toleration[] = [];
  for (const [index, each] of all.entries()) {
    const isCovered =
      merged.some((other) => includes(other, each)) ||
      all.slice(index + 1).some((other) => !sameValue(other, each) && includes(other, each));
    if (!isCovered) merged.push(each);
  }
  return merged;
}

/** The larger one tolerates whatever the smaller one does. An operator that is not there counts on one side only. */
function includes(larger: Toleration, smaller: Toleration): boolean {
  if (sameValue(larger, smaller)) return true;
  const { key = '', operator = '', value = '', effect = '' } = larger;
  if ((smaller.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
  if ((smaller.effect ?? '') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && !staysAsLong(larger, smaller)) return false;
  if (operator === 'Exists') return true;
  return (operator === 'Equal' || operator === '') && smaller.operator === 'Equal' && (smaller.value ?? '') === value;
}

function staysAsLong({ tolerationSeconds: most }: Toleration, { tolerationSeconds: seconds }: Toleration): boolean {
  return most === undefined || (seconds !== undefined && seconds <= most);
}
