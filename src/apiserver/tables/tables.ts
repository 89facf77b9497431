// The table of every kind. A kind without a printer of its own shows its name and when it was made, as upstream's default does.
import type { KubeObject } from '../../kube/object.ts';
import { autoscalerPrinter, olderAutoscalerPrinter } from './autoscaler-printer.ts';
import * as cluster from './cluster-printers.ts';
import * as core from './core-printers.ts';
import { nodeMetricsPrinter, podMetricsPrinter } from './metrics-printers.ts';
import { nodePrinter } from './node-printer.ts';
import { podPrinter } from './pod-printer.ts';
import { NAME, type Printer } from './printer.ts';
import * as snapshot from './snapshot-printers.ts';
import * as storage from './storage-printers.ts';
import * as workload from './workload-printers.ts';

const DEFAULT_PRINTER: Printer = {
  columns: [NAME, { name: 'Created At', type: 'date', format: '', priority: 0 }],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
};

/** By `apiVersion kind`. */
const PRINTERS: Readonly<Record<string, Printer>> = {
  'v1 ComponentStatus': core.componentStatusPrinter,
  'v1 ConfigMap': core.configMapPrinter,
  'v1 Endpoints': core.endpointsPrinter,
  'v1 Event': core.eventPrinter,
  'v1 Namespace': core.namespacePrinter,
  'v1 Node': nodePrinter,
  'v1 PersistentVolume': storage.volumePrinter,
  'v1 PersistentVolumeClaim': storage.claimPrinter,
  'v1 Pod': podPrinter,
  'v1 PodTemplate': workload.podTemplatePrinter,
  'v1 ReplicationController': workload.replicationControllerPrinter,
  'v1 ResourceQuota': core.resourceQuotaPrinter,
  'v1 Secret': core.secretPrinter,
  'v1 Service': core.servicePrinter,
  'v1 ServiceAccount': core.plainPrinter,
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicy': cluster.mutatingPolicyPrinter,
  'admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding': cluster.policyBindingPrinter,
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration': cluster.webhooksPrinter,
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy': cluster.validatingPolicyPrinter,
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding': cluster.policyBindingPrinter,
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration': cluster.webhooksPrinter,
  'apiregistration.k8s.io/v1 APIService': cluster.apiServicePrinter,
  'apps/v1 ControllerRevision': workload.controllerRevisionPrinter,
  'apps/v1 DaemonSet': workload.daemonSetPrinter,
  'apps/v1 Deployment': workload.deploymentPrinter,
  'apps/v1 ReplicaSet': workload.replicaSetPrinter,
  'apps/v1 StatefulSet': workload.statefulSetPrinter,
  'autoscaling/v1 Scale': workload.scalePrinter,
  'autoscaling/v1 HorizontalPodAutoscaler': olderAutoscalerPrinter,
  'autoscaling/v2 HorizontalPodAutoscaler': autoscalerPrinter,
  'batch/v1 CronJob': workload.cronJobPrinter,
  'batch/v1 Job': workload.jobPrinter,
  'certificates.k8s.io/v1 CertificateSigningRequest': cluster.signingRequestPrinter,
  'coordination.k8s.io/v1 Lease': cluster.leasePrinter,
  'discovery.k8s.io/v1 EndpointSlice': cluster.endpointSlicePrinter,
  'events.k8s.io/v1 Event': core.seriesEventPrinter,
  'flowcontrol.apiserver.k8s.io/v1 FlowSchema': cluster.flowSchemaPrinter,
  'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration': cluster.priorityLevelPrinter,
  'metrics.k8s.io/v1beta1 NodeMetrics': nodeMetricsPrinter,
  'metrics.k8s.io/v1beta1 PodMetrics': podMetricsPrinter,
  'networking.k8s.io/v1 IPAddress': cluster.ipAddressPrinter,
  'networking.k8s.io/v1 Ingress': cluster.ingressPrinter,
  'networking.k8s.io/v1 IngressClass': cluster.ingressClassPrinter,
  'networking.k8s.io/v1 NetworkPolicy': cluster.networkPolicyPrinter,
  'networking.k8s.io/v1 ServiceCIDR': cluster.serviceCidrPrinter,
  'node.k8s.io/v1 RuntimeClass': cluster.runtimeClassPrinter,
  'policy/v1 PodDisruptionBudget': workload.disruptionBudgetPrinter,
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': cluster.roleBindingPrinter,
  'rbac.authorization.k8s.io/v1 RoleBinding': cluster.roleBindingPrinter,
  'resource.k8s.io/v1 DeviceClass': core.plainPrinter,
  'resource.k8s.io/v1 ResourceClaim': cluster.resourceClaimPrinter,
  'resource.k8s.io/v1 ResourceClaimTemplate': core.plainPrinter,
  'resource.k8s.io/v1 ResourceSlice': cluster.resourceSlicePrinter,
  'scheduling.k8s.io/v1 PriorityClass': cluster.priorityClassPrinter,
  'snapshot.storage.k8s.io/v1 VolumeSnapshot': snapshot.snapshotPrinter,
  'snapshot.storage.k8s.io/v1 VolumeSnapshotClass': snapshot.snapshotClassPrinter,
  'snapshot.storage.k8s.io/v1 VolumeSnapshotContent': snapshot.snapshotContentPrinter,
  'storage.k8s.io/v1 CSIDriver': storage.csiDriverPrinter,
  'storage.k8s.io/v1 CSINode': storage.csiNodePrinter,
  'storage.k8s.io/v1 StorageClass': storage.storageClassPrinter,
  'storage.k8s.io/v1 VolumeAttachment': storage.attachmentPrinter,
  'storage.k8s.io/v1 VolumeAttributesClass': storage.attributesClassPrinter,
};

export function printerOf({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Printer {
  return PRINTERS[`${apiVersion} ${kind}`] ?? DEFAULT_PRINTER;
}
