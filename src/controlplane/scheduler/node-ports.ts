// kubernetes:pkg/scheduler/framework/plugins/nodeports
import type { ContainerPort } from '../../kube/resources/container.ts';
import { hostPortsOf } from './node-info.ts';
import { type FilterPlugin, SKIP, filterBy } from './plugin.ts';
import { SUCCESS, unschedulable } from './status.ts';

const ANY_ADDRESS = '0.0.0.0';

export const nodePorts: FilterPlugin = {
  name: 'NodePorts',
  preFilter: (pod) => {
    const wanted = hostPortsOf(pod);
    if (wanted.length === 0) return SKIP;
    return filterBy(({ hostPorts }) =>
      havePortConflict(wanted, [...hostPorts])
        ? unschedulable("node(s) didn't have free ports for the requested pod ports")
        : SUCCESS,
    );
  },
};

export function havePortConflict(wanted: readonly ContainerPort[], taken: readonly ContainerPort[]): boolean {
  return wanted.some((port) => taken.some((other) => isSamePort(port, other)));
}

/** A port on all addresses clashes with the same port on any one of them. */
function isSamePort(one: ContainerPort, other: ContainerPort): boolean {
  if (one.hostPort !== other.hostPort || protocolOf(one) !== protocolOf(other)) return false;
  const addresses = [addressOf(one), addressOf(other)];
  return addresses.includes(ANY_ADDRESS) || addresses[0] === addresses[1];
}

const protocolOf = (port: ContainerPort): string => port.protocol ?? 'TCP';
const addressOf = (port: ContainerPort): string => {
  const address = port.hostIP ?? '';
  return address === '' ? ANY_ADDRESS : address;
};
