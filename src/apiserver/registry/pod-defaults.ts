// What a pod's spec is filled up with. Templates get a little less than pods: what depends on the pod as a whole is filled
// in only when the pod is made of the template. kubernetes:pkg/apis/core/v1/{defaults.go,zz_generated.defaults.go,conversion.go}
import type { Container, EphemeralContainer, LifecycleHandler, Probe } from '../../kube/resources/container.ts';
import type { PodSpec, PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import { pullPolicyOf } from './image-pull-policy.ts';
import { defaultVolume } from './pod-volume-defaults.ts';

export function defaultPodTemplate(template: PodTemplateSpec): PodTemplateSpec {
  return { ...template, metadata: template.metadata ?? {}, spec: defaultTemplateSpec(template.spec) };
}

export function defaultPodSpec(spec: PodSpec): PodSpec {
  const filled = defaultTemplateSpec(spec);
  const complete = (container: Container): Container =>
    withHostPorts(withRequestsFromLimits(container), filled.hostNetwork === true);
  return {
    ...filled,
    containers: filled.containers.map(complete),
    ...(filled.initContainers === undefined ? {} : { initContainers: filled.initContainers.map(complete) }),
    enableServiceLinks: filled.enableServiceLinks ?? true,
  };
}

function defaultTemplateSpec(spec: PodSpec): PodSpec {
  const { volumes, initContainers, ephemeralContainers } = spec;
  return {
    ...withServiceAccountAlias(spec),
    ...(volumes === undefined ? {} : { volumes: volumes.map(defaultVolume) }),
    containers: (spec.containers ?? []).map(defaultContainer),
    ...(initContainers === undefined ? {} : { initContainers: initContainers.map(defaultContainer) }),
    ...(ephemeralContainers === undefined ? {} : { ephemeralContainers: ephemeralContainers.map(defaultContainer) }),
    restartPolicy: spec.restartPolicy ?? 'Always',
    terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 30,
    dnsPolicy: spec.dnsPolicy ?? 'ClusterFirst',
    securityContext: spec.securityContext ?? {},
    schedulerName: spec.schedulerName ?? 'default-scheduler',
  };
}

/** `serviceAccount` is the old name of `serviceAccountName` and always repeats it. */
export function withServiceAccountAlias(spec: PodSpec): PodSpec {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined || (spec.serviceAccountName === name && spec.serviceAccount === name)) return spec;
  return { ...spec, serviceAccountName: name, serviceAccount: name };
}

function defaultContainer<C extends Container | EphemeralContainer>(container: C): C {
  const { ports, env, livenessProbe, readinessProbe, startupProbe, lifecycle } = container;
  return {
    ...container,
    resources: container.resources ?? {},
    ...(ports === undefined ? {} : { ports: ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) }),
    ...(env === undefined ? {} : { env: env.map(defaultVariable) }),
    ...(livenessProbe === undefined ? {} : { livenessProbe: defaultProbe(livenessProbe) }),
    ...(readinessProbe === undefined ? {} : { readinessProbe: defaultProbe(readinessProbe) }),
    ...(startupProbe === undefined ? {} : { startupProbe: defaultProbe(startupProbe) }),
    ...(lifecycle === undefined ? {} : { lifecycle: defaultLifecycle(lifecycle) }),
    terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'File',
    imagePullPolicy: container.imagePullPolicy ?? pullPolicyOf(container.image ?? ''),
  };
}

function defaultVariable(variable: NonNullable<Container['env']>[number]): NonNullable<Container['env']>[number] {
  const fieldRef = variable.valueFrom?.fieldRef;
  if (fieldRef === undefined || variable.valueFrom === undefined) return variable;
  return { ...variable, valueFrom: { ...variable.valueFrom, fieldRef: { apiVersion: 'v1', ...fieldRef } } };
}

function defaultProbe(probe: Probe): Probe {
  const { httpGet, grpc } = probe;
  return {
    ...probe,
    ...(httpGet === undefined ? {} : { httpGet: { path: '/', scheme: 'HTTP', ...httpGet } }),
    ...(grpc === undefined ? {} : { grpc: { ...grpc, service: grpc.service ?? '' } }),
    timeoutSeconds: probe.timeoutSeconds ?? 1,
    periodSeconds: probe.periodSeconds ?? 10,
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
  };
}

function defaultLifecycle(lifecycle: NonNullable<Container['lifecycle']>): NonNullable<Container['lifecycle']> {
  const { postStart, preStop } = lifecycle;
  return {
    ...lifecycle,
    ...(postStart === undefined ? {} : { postStart: defaultHandler(postStart) }),
    ...(preStop === undefined ? {} : { preStop: defaultHandler(preStop) }),
  };
}

const defaultHandler = (handler: LifecycleHandler): LifecycleHandler =>
  handler.httpGet === undefined ? handler : { ...handler, httpGet: { path: '/', scheme: 'HTTP', ...handler.httpGet } };

function withRequestsFromLimits(container: Container): Container {
  const { limits, requests } = container.resources;
  if (limits === undefined) return container;
  return { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } };
}

function withHostPorts(container: Container, isHostNetwork: boolean): Container {
  if (!isHostNetwork || container.ports === undefined) return container;
  const ports = container.ports.map((port) => ({ ...port, hostPort: port.hostPort ?? port.containerPort }));
  return { ...container, ports };
}
