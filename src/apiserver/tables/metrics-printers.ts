// Tables of what nodes and pods use. kubernetes-sigs/metrics-server:pkg/api/table.go
import { type Quantity, addQuantities, formatQuantity, parseQuantity } from '../../kube/quantity.ts';
import type { KubeObject } from '../../kube/object.ts';
import { listAt, textAt } from './field.ts';
import { NAME, type Printer, text } from './printer.ts';

const columns = [NAME, text('cpu'), text('memory'), text('Window')];

export const nodeMetricsPrinter: Printer = {
  columns,
  cells: (node) => [node.metadata.name, textAt(node, 'usage.cpu'), textAt(node, 'usage.memory'), windowOf(node)],
};

export const podMetricsPrinter: Printer = {
  columns,
  cells: (pod) => [pod.metadata.name, sumOf(pod, 'cpu'), sumOf(pod, 'memory'), windowOf(pod)],
};

const windowOf = (object: KubeObject): string => textAt(object, 'window');

function sumOf(pod: KubeObject, resource: string): string {
  const [first = '0', ...others] = listAt(pod, 'containers').map((each) => textAt(each, `usage.${resource}`));
  return formatQuantity(others.reduce((sum: Quantity, each) => addQuantities(sum, each), parseQuantity(first)));
}
