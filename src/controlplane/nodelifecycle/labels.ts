/** The beta label repeats the stable one. kubernetes:pkg/controller/nodelifecycle/node_lifecycle_controller.go labelReconcileInfo */
const LABEL_PAIRS: readonly (readonly [stable: string, beta: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

/** The labels to set, empty if there is nothing to do. A node without the stable label keeps whatever it has. */
export function decideLabels(labels: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const wanted: Record<string, string> = {};
  for (const [stable, beta] of LABEL_PAIRS) {
    const value = labels[stable];
    if (value !== undefined && labels[beta] !== value) wanted[beta] = value;
  }
  return wanted;
}
