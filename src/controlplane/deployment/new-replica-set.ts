import { contentHash } from '../../kube/content-hash.ts';
import type { Draft } from '../../kube/cluster.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import type { Deployment } from '../../kube/resources/deployment.ts';
import type { ReplicaSet } from '../../kube/resources/replica-set.ts';
import { decideNewSize } from './decide-sizes.ts';
import { maxRevision, newSetAnnotations, replicasAnnotations } from './set-annotations.ts';
import { TEMPLATE_HASH_LABEL, replicaSetName } from './template-hash.ts';

type NewReplicaSet = Draft<ReplicaSet> & {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas: number };
};

/** The ReplicaSet for the template that the Deployment has now. kubernetes:pkg/controller/deployment/sync.go */
export function newReplicaSet(deployment: Deployment, oldSets: readonly ReplicaSet[]): NewReplicaSet {
  const { template, selector, minReadySeconds = 0 } = deployment.spec;
  const { name, namespace } = deployment.metadata;
  const hash = contentHash(template, deployment.status.collisionCount);
  const labels = { ...template.metadata.labels, [TEMPLATE_HASH_LABEL]: hash };
  const annotations = newSetAnnotations(deployment, {}, maxRevision(oldSets) + 1n);
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: replicaSetName(name, hash),
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations: { ...annotations, ...replicasAnnotations(deployment) },
      ownerReferences: [ownerReferenceTo(deployment, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      replicas: decideNewSize(deployment, oldSets, 0),
      ...(minReadySeconds === 0 ? {} : { minReadySeconds }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [TEMPLATE_HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}
