/** A cluster file whose components may ask as often as they like: what is measured is the work, not upstream's client limits. */
export const UNLIMITED_CLUSTER = `
nodes: 10
zones: 2
settings:
  kube-controller-manager.kube-api-qps: -1
  kube-scheduler.kube-api-qps: -1
  csi-provisioner.kube-api-qps: -1
  csi-attacher.kube-api-qps: -1
  csi-resizer.kube-api-qps: -1
  kubelet.kube-api-qps: -1
`;
