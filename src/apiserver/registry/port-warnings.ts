// Ports of a pod's containers that are the same, as far as can be seen. kubernetes:pkg/api/pod/warnings.go
import { goQuote } from '../../kube/go-text.ts';
import type { ContainerPort } from '../../kube/resources/container.ts';
import type { PlacedContainer } from './pod-containers.ts';

type Warnings = readonly string[];

interface PlacedPort {
  readonly path: string;
  readonly port: ContainerPort;
}

export function warnOfPorts(containers: readonly PlacedContainer[]): Warnings {
  const ports = containers.flatMap(({ path, container }) =>
    (container.ports ?? []).map((port, index) => ({ path: `${path}.ports[${index}]`, port })),
  );
  return [...warnOfNumbers(ports), ...warnOfNames(ports)];
}

function warnOfNumbers(all: readonly PlacedPort[]): Warnings {
  return all.flatMap(({ path: at, port }, index) => {
    const { containerPort, protocol = 'TCP', hostPort = 0, hostIP = '', name = '' } = port;
    const shown = `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
    const others = all
      .slice(0, index)
      .filter((other) => other.port.containerPort === containerPort && (other.port.protocol ?? 'TCP') === protocol);
    return [
      ...(hostIP !== '' && hostPort === 0 ? [`${at}: hostIP set without hostPort: ${shown}`] : []),
      ...others.flatMap((other) => {
        const word = overlapOf({ hostPort, hostIP }, other.port);
        return word === undefined ? [] : [`${at}: ${word} port definition with ${other.path}`];
      }),
    ];
  });
}

function overlapOf(
  port: Required<Pick<ContainerPort, 'hostPort' | 'hostIP'>>,
  other: ContainerPort,
): string | undefined {
  const { hostPort = 0, hostIP = '' } = other;
  if (port.hostIP === hostIP && port.hostPort === hostPort) return 'duplicate';
  if (port.hostPort === 0 || hostPort === 0) return 'overlapping';
  const isOneAnywhere = (port.hostIP === '') !== (hostIP === '');
  return port.hostPort === hostPort && isOneAnywhere ? 'dangerously ambiguous' : undefined;
}

function warnOfNames(all: readonly PlacedPort[]): Warnings {
  const first = new Map<string, string>();
  return all.flatMap(({ path: at, port: { name = '' } }) => {
    if (name === '') return [];
    const other = first.get(name);
    if (other === undefined) first.set(name, at);
    return other === undefined
      ? []
      : [
          `${at}: duplicate port name ${goQuote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        ];
  });
}
