import type { Node } from '../../kube/resources/node.ts';
import { ageOf } from './age.ts';
import { AGE, NAME, type Printer, text, wideText } from './printer.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

export const nodePrinter: Printer<Node> = {
  columns: [
    NAME,
    text('Status'),
    text('Roles'),
    AGE,
    text('Version'),
    ...['Internal-IP', 'External-IP', 'OS-Image', 'Kernel-Version', 'Container-Runtime'].map(wideText),
  ],
  cells: (node, now) => {
    const { metadata, status } = node;
    const { kubeletVersion, osImage, kernelVersion, architecture, containerRuntimeVersion } = status.nodeInfo;
    const kernel = orUnknown(kernelVersion);
    return [
      metadata.name,
      statusText(node),
      rolesText(node),
      ageOf(metadata.creationTimestamp, now),
      kubeletVersion,
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      orUnknown(osImage),
      architecture === '' ? kernel : `${kernel} (${architecture})`,
      orUnknown(containerRuntimeVersion),
    ];
  },
};

const orUnknown = (word: string | undefined): string => word || '<unknown>';

function statusText({ spec, status }: Node): string {
  const ready = status.conditions?.findLast(({ type }) => type === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return spec.unschedulable === true ? `${word},SchedulingDisabled` : word;
}

function rolesText({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    const role = key.startsWith(ROLE_PREFIX) ? key.slice(ROLE_PREFIX.length) : key === ROLE_LABEL ? value : '';
    if (role !== '') roles.add(role);
  }
  return roles.size === 0 ? '<none>' : [...roles].toSorted().join(',');
}

const addressOf = ({ status }: Node, wanted: string): string =>
  status.addresses?.find(({ type }) => type === wanted)?.address ?? '<none>';
