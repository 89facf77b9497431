// The controller below Deployments, for the tests of those: rooms of the control plane are strangers to each other.
export { replicaSetController as replicaSets } from '../../src/controlplane/replicaset/replicaset.ts';
