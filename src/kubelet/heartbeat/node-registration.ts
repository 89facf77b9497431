// A node agent serves the one Node that it made itself, now or in an earlier life: a Node that somebody else created
// through the API is never adopted.
import { isApiError } from '../../kube/api-error.ts';
import type { Cluster, Draft } from '../../kube/cluster.ts';
import { type Node, Nodes } from '../../kube/resources/node.ts';

/** Marks the Node objects that an agent made for itself. */
const AGENT_ANNOTATION = 'mooring.dev/node-agent';
const CONTROLLER_MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** Labels and annotations that every node has. */
export function nodeMetadata(
  name: string,
  labels: Readonly<Record<string, string>>,
): Draft<Node>['metadata'] & { readonly name: string; readonly labels: Readonly<Record<string, string>> } {
  return {
    name,
    labels: {
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      'beta.kubernetes.io/os': 'linux',
      'beta.kubernetes.io/arch': 'amd64',
      ...labels,
    },
    annotations: { [AGENT_ANNOTATION]: name, [CONTROLLER_MANAGED]: 'true' },
  };
}

/** The agent's Node; undefined if the name belongs to somebody else's. */
export async function registerNode(
  cluster: Cluster,
  draft: Draft<Node> & { readonly metadata: { readonly name: string } },
): Promise<Node | undefined> {
  try {
    return await cluster.create(Nodes, draft);
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
  }
  const existing = await cluster.get(Nodes, draft.metadata.name);
  return isOwnNode(existing) ? existing : undefined;
}

/** Whether the agent of its name made it. */
export function isOwnNode({ metadata }: Pick<Node, 'metadata'>): boolean {
  return metadata.annotations?.[AGENT_ANNOTATION] === metadata.name;
}
