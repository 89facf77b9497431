// Which components a cluster of a given shape runs, and with which of its settings.
import { attachDetachController } from '../controlplane/attachdetach/attachdetach.ts';
import { clusterRoleAggregationController } from '../controlplane/clusterroleaggregation/clusterroleaggregation.ts';
import { daemonSetController } from '../controlplane/daemonset/daemonset.ts';
import { deploymentController } from '../controlplane/deployment/deployment.ts';
import { disruptionController } from '../controlplane/disruption/disruption.ts';
import { ephemeralVolumeController } from '../controlplane/ephemeral/ephemeral.ts';
import { garbageCollector } from '../controlplane/garbagecollector/garbagecollector.ts';
import { jobController } from '../controlplane/job/job.ts';
import { namespaceController } from '../controlplane/namespace/namespace.ts';
import { nodeLifecycleController } from '../controlplane/nodelifecycle/nodelifecycle.ts';
import { persistentVolumeController } from '../controlplane/persistentvolume/persistentvolume.ts';
import { pvcProtectionController } from '../controlplane/pvcprotection/pvcprotection.ts';
import { pvProtectionController } from '../controlplane/pvprotection/pvprotection.ts';
import { podGarbageCollector } from '../controlplane/podgc/podgc.ts';
import { replicaSetController, replicationController } from '../controlplane/replicaset/replicaset.ts';
import { serviceAccountsController } from '../controlplane/serviceaccount/accounts/accounts.ts';
import { rootCaPublisher } from '../controlplane/serviceaccount/root-ca-publisher/root-ca-publisher.ts';
import { statefulSetController } from '../controlplane/statefulset/statefulset.ts';
import { taintEvictionController } from '../controlplane/tainteviction/tainteviction.ts';
import { resourceQuotaController } from '../controlplane/resourcequota/resourcequota.ts';
import { vacProtectionController } from '../controlplane/vacprotection/vacprotection.ts';
import { volumeExpandController } from '../controlplane/volumeexpand/volumeexpand.ts';
import { scheduler } from '../controlplane/scheduler/scheduler.ts';
import type { CsiDriver } from '../csi/driver.ts';
import { bareNode } from '../kubelet/bare/bare-node.ts';
import { kubelet } from '../kubelet/kubelet.ts';
import type { KubeletPhases, NodeServing } from '../kubelet/kubelet-options.ts';
import type { ClaimChanges } from '../kubelet/volumemanager/populator.ts';
import type { ContainerRuntime } from '../kubelet/podworkers/container-runtime.ts';
import type { KubeObject, Resource } from '../kube/object.ts';
import { DaemonSets } from '../kube/resources/daemon-set.ts';
import type { Component } from '../runtime/component.ts';
import { attacher } from '../sidecars/attacher/attacher.ts';
import type { AttacherSettings } from '../sidecars/attacher/settings.ts';
import { provisioner } from '../sidecars/provisioner/provisioner.ts';
import { DEFAULT_PROVISIONER_SETTINGS, type ProvisionerSettings } from '../sidecars/provisioner/settings.ts';
import { resizer } from '../sidecars/resizer/resizer.ts';
import type { ResizerSettings } from '../sidecars/resizer/settings.ts';
import { type ClusterShape, type NodeShape, ZONE_LABEL } from './cluster-shape.ts';
import { declaredKinds } from './deletable-kinds.ts';
import { isOn, upstreamControllerName } from './component-switches.ts';
import { DEFAULT_PROFILE } from './profiles.ts';
import { type Program, Settings } from './settings.ts';
import { type SimulatedMachines, pluginTable } from './simulated-nodes.ts';

export interface Placed {
  readonly component: Component;
  /** The program it is part of upstream, whose client limits it has. */
  readonly program: Program;
  /** The node it runs on; absent for the control plane. */
  readonly node?: string;
}

/** What a node has when its shape says nothing else. */
const DEFAULT_CAPACITY = { cpu: '32', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '110' };

/** What stands around the components: the drivers of the cluster and the machines of its nodes. */
export interface Surroundings {
  readonly drivers: readonly CsiDriver[];
  readonly machines: SimulatedMachines;
  /** The containers of a node: they outlive its kubelet. */
  readonly runtimeOf: (node: string) => ContainerRuntime;
  /** Where the free-running timers of a kubelet stand; absent ones are drawn. */
  readonly phasesOf?: (node: string) => KubeletPhases | undefined;
  /**
   * The certificates behind the API server's own, in PEM. With it namespaces are furnished for clients that come over the
   * network: each has the account `default` and the ConfigMap `kube-root-ca.crt`. A simulated server has no certificate.
   */
  readonly rootCa?: string;
  /** Where a node is asked for itself; undefined: nowhere. */
  readonly servingOf?: (node: string) => NodeServing | undefined;
  /** With it kubelets are tickless. */
  readonly claimChanges?: ClaimChanges;
  /** What the server has that can be deleted; the declared kinds unless told otherwise. */
  readonly kinds?: readonly Resource<KubeObject>[];
}

/** Those of the shape's components that are switched on. */
export function componentsOf(shape: ClusterShape, settings: Settings, around: Surroundings): readonly Placed[] {
  const { components = {} } = shape;
  return allComponents(shape, settings, around).flatMap(({ part, ...placed }) =>
    isOn({ program: placed.program, part }, components) ? [placed] : [],
  );
}

/** The controllers of our manager, as its flag `--controllers` would name them. */
export function controllerNames(): readonly string[] {
  const empty: ClusterShape = { profile: DEFAULT_PROFILE, nodes: [], drivers: [], classes: [], settings: {} };
  const all = { rootCa: '', kinds: [DaemonSets] };
  return [...controllers(empty, new Settings({})), ...otherWorkloads(empty, all), ...furnishers(all)].map(({ name }) =>
    upstreamControllerName(name),
  );
}

function allComponents(
  shape: ClusterShape,
  settings: Settings,
  around: Surroundings,
): readonly (Placed & { readonly part: string })[] {
  const { drivers } = around;
  return [
    ...[...controllers(shape, settings, around), ...otherWorkloads(shape, around), ...furnishers(around)].map(
      (component) => ({
        component,
        program: 'kube-controller-manager' as const,
        part: upstreamControllerName(component.name),
      }),
    ),
    { component: scheduler(schedulerSettings(shape, settings)), program: 'kube-scheduler', part: '' },
    ...drivers.map((driver) => ({
      component: provisioner({ driver, settings: provisionerSettings(settings) }),
      program: 'csi-provisioner' as const,
      part: driver.name,
    })),
    ...drivers.map((driver) => ({
      component: attacher({ driver, settings: attacherSettings(shape, settings) }),
      program: 'csi-attacher' as const,
      part: driver.name,
    })),
    ...drivers.map((driver) => ({
      component: resizer({ driver, settings: resizerSettings(settings) }),
      program: 'csi-resizer' as const,
      part: driver.name,
    })),
    ...shape.nodes.map((node) => ({
      component: nodeAgent(shape, node, around),
      program: 'kubelet' as const,
      node: node.name,
      part: node.name,
    })),
  ];
}

function controllers(
  shape: ClusterShape,
  settings: Settings,
  { kinds = declaredKinds() }: Pick<Surroundings, 'kinds'> = {},
): readonly Component[] {
  const manager = 'kube-controller-manager';
  return [
    persistentVolumeController({
      profile: shape.profile,
      syncPeriodMs: settings.durationMs(manager, 'pvclaimbinder-sync-period'),
      enableDynamicProvisioning: settings.boolean(manager, 'enable-dynamic-provisioning'),
    }),
    ...nodeControllers(shape, settings),
    ...workloadControllers(shape),
    attachDetachController({
      profile: shape.profile,
      attachDetachReconcileSyncPeriodMs: settings.durationMs(manager, 'attach-detach-reconcile-sync-period'),
      disableAttachDetachReconcileSync: settings.boolean(manager, 'disable-attach-detach-reconcile-sync'),
      disableForceDetachOnTimeout: settings.boolean(manager, 'disable-force-detach-on-timeout'),
    }),
    volumeExpandController(),
    pvcProtectionController(),
    pvProtectionController(),
    vacProtectionController(),
    ephemeralVolumeController(),
    namespaceController({ resources: kinds.filter(({ namespaced }) => namespaced) }),
    resourceQuotaController({
      syncPeriodMs: settings.durationMs(manager, 'resource-quota-sync-period'),
      resources: kinds.filter(({ namespaced, plural }) => namespaced && plural !== 'events'),
    }),
    garbageCollector({ resources: kinds.filter(({ plural }) => plural !== 'events') }),
  ];
}

/** Controllers of kinds that only a whole server has: there they would be kept with nobody to act on them. */
function otherWorkloads({ profile }: ClusterShape, { kinds = [] }: Pick<Surroundings, 'kinds'>): readonly Component[] {
  const hasAll = kinds.some(({ plural }) => plural === DaemonSets.plural);
  if (!hasAll) return [];
  return [
    daemonSetController(),
    jobController(),
    replicationController({ profile }),
    clusterRoleAggregationController(),
  ];
}

function furnishers({ rootCa }: Pick<Surroundings, 'rootCa'>): readonly Component[] {
  return rootCa === undefined ? [] : [serviceAccountsController(), rootCaPublisher({ rootCa })];
}

function nodeControllers({ profile }: ClusterShape, settings: Settings): readonly Component[] {
  const manager = 'kube-controller-manager';
  const gracePeriodMs = settings.givenDurationMs(manager, 'node-monitor-grace-period');
  return [
    nodeLifecycleController({
      profile,
      nodeMonitorPeriodMs: settings.durationMs(manager, 'node-monitor-period'),
      nodeStartupGracePeriodMs: settings.durationMs(manager, 'node-startup-grace-period'),
      nodeEvictionRate: settings.number(manager, 'node-eviction-rate'),
      secondaryNodeEvictionRate: settings.number(manager, 'secondary-node-eviction-rate'),
      largeClusterSizeThreshold: settings.number(manager, 'large-cluster-size-threshold'),
      unhealthyZoneThreshold: settings.number(manager, 'unhealthy-zone-threshold'),
      ...(gracePeriodMs === undefined ? {} : { nodeMonitorGracePeriodMs: gracePeriodMs }),
    }),
    taintEvictionController({ profile }),
    podGarbageCollector({ profile, terminatedPodGcThreshold: settings.number(manager, 'terminated-pod-gc-threshold') }),
  ];
}

function workloadControllers({ profile }: ClusterShape): readonly Component[] {
  return [
    statefulSetController({ profile }),
    replicaSetController({ profile }),
    deploymentController({ profile }),
    disruptionController({ profile }),
  ];
}

function schedulerSettings(shape: ClusterShape, settings: Settings): Parameters<typeof scheduler>[0] {
  const program = 'kube-scheduler';
  return {
    profile: shape.profile,
    podInitialBackoffSeconds: settings.number(program, 'podInitialBackoffSeconds'),
    podMaxBackoffSeconds: settings.number(program, 'podMaxBackoffSeconds'),
    bindTimeoutSeconds: settings.number(program, 'bindTimeoutSeconds'),
  };
}

function provisionerSettings(settings: Settings): ProvisionerSettings {
  const program = 'csi-provisioner';
  return {
    ...DEFAULT_PROVISIONER_SETTINGS,
    timeoutMs: settings.durationMs(program, 'timeout'),
    retryIntervalStartMs: settings.durationMs(program, 'retry-interval-start'),
    retryIntervalMaxMs: settings.durationMs(program, 'retry-interval-max'),
    workerThreads: settings.number(program, 'worker-threads'),
    volumeNamePrefix: settings.text(program, 'volume-name-prefix'),
    volumeNameUuidLength: settings.number(program, 'volume-name-uuid-length'),
    defaultFstype: settings.text(program, 'default-fstype'),
    extraCreateMetadata: settings.boolean(program, 'extra-create-metadata'),
    strictTopology: settings.boolean(program, 'strict-topology'),
    immediateTopology: settings.boolean(program, 'immediate-topology'),
    controllerPublishReadonly: settings.boolean(program, 'controller-publish-readonly'),
    preventVolumeModeConversion: settings.boolean(program, 'prevent-volume-mode-conversion'),
    enableCapacity: settings.boolean(program, 'enable-capacity'),
    capacityForImmediateBinding: settings.boolean(program, 'capacity-for-immediate-binding'),
  };
}

function attacherSettings(shape: ClusterShape, settings: Settings): AttacherSettings {
  const program = 'csi-attacher';
  return {
    profile: shape.profile,
    timeoutMs: settings.durationMs(program, 'timeout'),
    retryIntervalStartMs: settings.durationMs(program, 'retry-interval-start'),
    retryIntervalMaxMs: settings.durationMs(program, 'retry-interval-max'),
    resyncMs: settings.durationMs(program, 'resync'),
    workerThreads: settings.number(program, 'worker-threads'),
    reconcileSyncMs: settings.durationMs(program, 'reconcile-sync'),
    maxEntries: settings.number(program, 'max-entries'),
    defaultFstype: settings.text(program, 'default-fstype'),
  };
}

function resizerSettings(settings: Settings): ResizerSettings {
  const program = 'csi-resizer';
  return {
    timeoutMs: settings.durationMs(program, 'timeout'),
    retryIntervalStartMs: settings.durationMs(program, 'retry-interval-start'),
    retryIntervalMaxMs: settings.durationMs(program, 'retry-interval-max'),
    resyncPeriodMs: settings.durationMs(program, 'resync-period'),
    workers: settings.number(program, 'workers'),
    handleVolumeInuseError: settings.boolean(program, 'handle-volume-inuse-error'),
    extraModifyMetadata: settings.boolean(program, 'extra-modify-metadata'),
  };
}

function nodeAgent(
  shape: ClusterShape,
  node: NodeShape,
  { claimChanges, drivers, machines, runtimeOf, phasesOf, servingOf }: Surroundings,
): Component {
  const labels = { ...(node.zone === undefined ? {} : { [ZONE_LABEL]: node.zone }), ...node.labels };
  const common = { labels, taints: node.taints ?? [], capacity: { ...DEFAULT_CAPACITY, ...node.capacity } };
  if (node.agent === 'bare')
    return bareNode({ ...common, name: node.name, kubeletVersion: `v${shape.profile}`, drivers });
  const phases = phasesOf?.(node.name);
  const serving = servingOf?.(node.name);
  return kubelet({
    ...common,
    nodeName: node.name,
    profile: shape.profile,
    mounter: machines.mounterOf(node.name),
    runtime: runtimeOf(node.name),
    plugins: pluginTable(drivers),
    driverOf: (name) => drivers.find((driver) => driver.name === name),
    ...(phases === undefined ? {} : { phases }),
    ...(serving === undefined ? {} : { serving }),
    ...(claimChanges === undefined ? {} : { claimChanges }),
  });
}
