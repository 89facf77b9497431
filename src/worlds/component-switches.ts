// Which of the components of a cluster are ours. What is off is left to somebody else: a real program, or nobody.
import type { ComponentSwitches } from './cluster-shape.ts';
import type { Program } from './settings.ts';

/** One component as switches know it. */
export interface Switched {
  readonly program: Program;
  /** The controller by upstream's name, the driver of a sidecar or the node of a kubelet. */
  readonly part: string;
}

export function isOn({ program, part }: Switched, switches: ComponentSwitches): boolean {
  const whole = switches[program] ?? true;
  if (typeof whole !== 'boolean') return whole[part] ?? true;
  const own = program === 'kube-controller-manager' ? switches[part] : undefined;
  return typeof own === 'boolean' ? own : whole;
}

/** Programs of which there is one for each driver or each node. */
export const PROGRAMS_WITH_PARTS: readonly Program[] = ['csi-provisioner', 'csi-attacher', 'csi-resizer', 'kubelet'];

/** Controllers whose events and users go by another name than `--controllers` knows. kubernetes:cmd/kube-controller-manager/names */
const UPSTREAM_NAMES: Readonly<Record<string, string>> = {
  'persistentvolume-controller': 'persistentvolume-binder-controller',
  'replication-controller': 'replicationcontroller-controller',
  'attachdetach-controller': 'persistentvolume-attach-detach-controller',
  'expand-controller': 'persistentvolume-expander-controller',
  'service-account-controller': 'serviceaccount-controller',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher-controller',
};

/** The name by which `--controllers` of the real manager knows it. */
export const upstreamControllerName = (component: string): string => UPSTREAM_NAMES[component] ?? component;
