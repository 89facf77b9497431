// What a pod's spec is filled up with. Templates get a little less than pods: what depends on the pod as a whole is filled
// in only when the pod is made of the template. kubernetes:pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go,conversion.go}
import type {
  Container,
  ContainerPort,
  EphemeralContainer,
  LifecycleHandler,
  Probe,
} from '../../kube/resources/container.ts';
import type { ObjectMeta } from '../../kube/object.ts';
import type { PodSpec, PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { pullPolicyOf } from './image-pull-policy.ts';
import { kept, mapKept } from './kept.ts';
import { defaultVolume } from './pod-volume-defaults.ts';

export function defaultPodTemplate(template: PodTemplateSpec): PodTemplateSpec {
  return kept(template, { ...withoutOldAnnotations(template), spec: defaultTemplateSpec(template.spec) });
}

export function defaultPodSpec(spec: PodSpec): PodSpec {
  const filled = defaultTemplateSpec(spec);
  const complete = (container: Container): Container =>
    withHostPorts(withRequestsFromLimits(container), filled.hostNetwork === true);
  return kept(filled, {
    ...filled,
    containers: mapKept(filled.containers, complete),
    ...(filled.initContainers === undefined ? {} : { initContainers: mapKept(filled.initContainers, complete) }),
    enableServiceLinks: filled.enableServiceLinks ?? true,
    ...((filled.terminationGracePeriodSeconds ?? 0) < 0 ? { terminationGracePeriodSeconds: 1 } : {}),
  });
}

/** How init containers were written before they were a field. */
const OLD_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

export function withoutOldAnnotations<T extends { readonly metadata: Partial<ObjectMeta> }>(object: T): T {
  const { annotations } = object.metadata;
  if (annotations === undefined || !OLD_ANNOTATIONS.some((key) => Object.hasOwn(annotations, key))) return object;
  const left = Object.entries(annotations).filter(([key]) => !OLD_ANNOTATIONS.includes(key));
  return { ...object, metadata: { ...object.metadata, annotations: Object.fromEntries(left) } };
}

function defaultTemplateSpec(spec: PodSpec): PodSpec {
  const { volumes, initContainers, ephemeralContainers } = spec;
  return kept(spec, {
    ...withServiceAccountAlias(spec),
    ...(volumes === undefined ? {} : { volumes: mapKept(volumes, defaultVolume) }),
    containers: mapKept(spec.containers, defaultContainer),
    ...(initContainers === undefined ? {} : { initContainers: mapKept(initContainers, defaultContainer) }),
    ...(ephemeralContainers === undefined
      ? {}
      : { ephemeralContainers: mapKept(ephemeralContainers, defaultContainer) }),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName ?? 'default-scheduler',
  });
}

/** `serviceAccount` is the old name of `serviceAccountName` and always repeats it. */
export function withServiceAccountAlias(spec: PodSpec): PodSpec {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined || (spec.serviceAccountName === name && spec.serviceAccount === name)) return spec;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

function defaultContainer<C extends Container | EphemeralContainer>(container: C): C {
  const { ports, env, livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  return kept(container, {
    ...container,
    ...(ports === undefined ? {} : { ports: mapKept(ports, defaultPort) }),
    ...(env === undefined ? {} : { env: mapKept(env, defaultVariable) }),
    ...(livenessProbe === undefined ? {} : { livenessProbe: defaultProbe(livenessProbe) }),
    ...(readinessProbe === undefined ? {} : { readinessProbe: defaultProbe(readinessProbe) }),
    ...(startupProbe === undefined ? {} : { startupProbe: defaultProbe(startupProbe) }),
    ...(lifecycle === undefined ? {} : { lifecycle: defaultLifecycle(lifecycle) }),
    terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'File',
    imagePullPolicy: container.imagePullPolicy ?? pullPolicyOf(container.image ?? ''),
  });
}

const defaultPort = (port: ContainerPort): ContainerPort =>
  port.protocol === undefined ? { ...port, protocol: 'TCP' } : port;

function defaultVariable(variable: NonNullable<Container['env']>[number]): NonNullable<Container['env']>[number] {
  const fieldRef = variable.valueFrom?.fieldRef;
  if (fieldRef === undefined || fieldRef.apiVersion !== undefined) return variable;
  return { ...variable, valueFrom: { ...variable.valueFrom, fieldRef: { apiVersion: 'v1', ...fieldRef } } };
}

function defaultProbe(probe: Probe): Probe {
  const { httpGet, grpc } = probe;
  return kept(probe, {
    ...probe,
    ...(httpGet === undefined ? {} : { httpGet: kept(httpGet, { path: '/', scheme: 'HTTP', ...httpGet }) }),
    ...(grpc === undefined ? {} : { grpc: kept(grpc, { ...grpc, service: grpc.service ?? '' }) }),
    timeoutSeconds: probe.timeoutSeconds ?? 1,
    periodSeconds: probe.periodSeconds ?? 10,
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
  });
}

function defaultLifecycle(lifecycle: NonNullable<Container['lifecycle']>): NonNullable<Container['lifecycle']> {
  const { postStart, preStop } = lifecycle;
  return kept(lifecycle, {
    ...lifecycle,
    ...(postStart === undefined ? {} : { postStart: defaultHandler(postStart) }),
    ...(preStop === undefined ? {} : { preStop: defaultHandler(preStop) }),
  });
}

function defaultHandler(handler: LifecycleHandler): LifecycleHandler {
  const { httpGet } = handler;
  if (httpGet === undefined) return handler;
  return kept(handler, { ...handler, httpGet: kept(httpGet, { path: '/', scheme: 'HTTP', ...httpGet }) });
}

function withRequestsFromLimits(container: Container): Container {
  const { limits, requests = {} } = container.resources;
  if (limits === undefined || Object.keys(limits).every((name) => name in requests)) return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}

function withHostPorts(container: Container, isHostNetwork: boolean): Container {
  if (!isHostNetwork || container.ports === undefined) return container;
  const ports = mapKept(container.ports, (port) =>
    port.hostPort === undefined ? { ...port, hostPort: port.containerPort } : port,
  );
  return kept(container, { ...container, ports });
}
