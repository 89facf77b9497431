// What a kubelet may say of its own node: not its taints, its owners, or labels by which others choose nodes.
import { goQuote } from '../../kube/go-text.ts';
import type { Node } from '../../kube/resources/node.ts';
import type { AdmissionRequest } from '../admission/admission.ts';
import { sameValue } from '../registry/semantic-equal.ts';

const RESTRICTED = 'node-restriction.kubernetes.io';
/** Labels of Kubernetes' own names that kubelets set. kubernetes:staging/src/k8s.io/kubelet/pkg/apis/well_known_labels.go */
const KUBELET_LABELS: ReadonlySet<string> = new Set([
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]);
const KUBELET_DOMAINS = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const KUBERNETES_DOMAINS = ['kubernetes.io', 'k8s.io'];

type NodeFields = Omit<Node, 'spec'> & {
  readonly spec?: { readonly configSource?: unknown; readonly taints?: readonly unknown[] };
};

/** Why a write of a node by a node is refused; undefined where it is not. */
export function nodeRefusal({ operation, name, object, before }: AdmissionRequest, node: string): string | undefined {
  if (name !== node) return `node ${goQuote(node)} is not allowed to modify node ${goQuote(name)}`;
  if (operation === 'DELETE') return undefined;
  const written = object as NodeFields;
  if (operation === 'UPDATE') return updateRefusal(written, before as NodeFields, node);
  if (isSet(written.spec?.configSource))
    return `node ${goQuote(node)} is not allowed to create pods with a non-nil configSource`;
  const labels = forbiddenLabels(written.metadata.labels, {});
  if (labels.length === 0) return undefined;
  return `node ${goQuote(node)} is not allowed to set the following labels: ${labels.join(', ')}`;
}

function updateRefusal({ metadata, spec = {} }: NodeFields, before: NodeFields, node: string): string | undefined {
  const known = before.spec ?? {};
  if (isSet(spec.configSource) && !sameValue(spec.configSource, known.configSource))
    return `node ${goQuote(node)} is not allowed to update configSource to a new non-nil configSource`;
  if (!sameValue(spec.taints, known.taints)) return `node ${goQuote(node)} is not allowed to modify taints`;
  if (!sameValue(metadata.ownerReferences, before.metadata.ownerReferences))
    return `node ${goQuote(node)} is not allowed to modify ownerReferences`;
  const labels = forbiddenLabels(metadata.labels, before.metadata.labels);
  return labels.length === 0 ? undefined : `is not allowed to modify labels: ${labels.join(', ')}`;
}

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

type Labels = Readonly<Record<string, string>>;

/** Those that changed and are not a kubelet's to change, in order. */
function forbiddenLabels(labels: Labels = {}, before: Labels = {}): readonly string[] {
  const changed = [...new Set([...Object.keys(labels), ...Object.keys(before)])].filter(
    (key) => labels[key] !== before[key],
  );
  return changed.filter(isForbidden).toSorted();
}

function isForbidden(key: string): boolean {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  if (isWithin(domain, RESTRICTED)) return true;
  const isKubernetes = KUBERNETES_DOMAINS.some((each) => isWithin(domain, each));
  return isKubernetes && !KUBELET_LABELS.has(key) && !KUBELET_DOMAINS.some((each) => isWithin(domain, each));
}

const isWithin = (domain: string, of: string): boolean => domain === of || domain.endsWith(`.${of}`);
