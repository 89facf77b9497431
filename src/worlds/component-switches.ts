// Which of the components of a cluster are ours. What is off is left to somebody else: a real program, or nobody.
import type { Program } from './settings.ts';

/**
 * By upstream's name. A program as a whole (`kube-scheduler: false`), a controller of the manager by the name that
 * `--controllers` knows it by (`statefulset-controller: false`), or single parts of a program, by driver for sidecars and by
 * node for kubelets (`csi-attacher: { disk.mooring.dev: false }`). What is particular wins over what is general.
 */
export type ComponentSwitches = Readonly<Record<string, boolean | Readonly<Record<string, boolean>>>>;

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
