// Settings by their upstream flag names, with upstream's defaults. A name that two programs share is written with its
// program in front (`csi-provisioner.timeout`); a name that only one has may stand alone (`pvclaimbinder-sync-period`).
import { parseDuration } from '../kube/go-duration.ts';
import type { ClientLimits } from '../kube/cluster.ts';
import type { SettingValue } from './cluster-shape.ts';

/** As upstream calls them. */
export const PROGRAMS = [
  'kube-controller-manager',
  'kube-scheduler',
  'csi-provisioner',
  'csi-attacher',
  'csi-resizer',
  'kubelet',
] as const;

export type Program = (typeof PROGRAMS)[number];

export const isProgram = (name: string): name is Program => PROGRAMS.some((program) => program === name);

interface Setting {
  readonly program: Program;
  readonly flag: string;
  readonly type: 'duration' | 'number' | 'boolean' | 'string';
  readonly default: SettingValue;
}

const setting = (program: Program, flag: string, type: Setting['type'], value: SettingValue): Setting => ({
  program,
  flag,
  type,
  default: value,
});

/** The default depends on the version that is played: the component knows it. */
const BY_PROFILE = 'by profile';

const SETTINGS: readonly Setting[] = [
  setting('kube-controller-manager', 'pvclaimbinder-sync-period', 'duration', '15s'),
  setting('kube-controller-manager', 'enable-dynamic-provisioning', 'boolean', true),
  setting('kube-controller-manager', 'kube-api-qps', 'number', 20),
  setting('kube-controller-manager', 'kube-api-burst', 'number', 30),
  setting('kube-controller-manager', 'resource-quota-sync-period', 'duration', '5m'),
  setting('kube-controller-manager', 'namespace-sync-period', 'duration', '5m'),
  setting('kube-controller-manager', 'node-monitor-period', 'duration', '5s'),
  setting('kube-controller-manager', 'node-monitor-grace-period', 'duration', BY_PROFILE),
  setting('kube-controller-manager', 'node-startup-grace-period', 'duration', '1m'),
  setting('kube-controller-manager', 'node-eviction-rate', 'number', 0.1),
  setting('kube-controller-manager', 'secondary-node-eviction-rate', 'number', 0.01),
  setting('kube-controller-manager', 'large-cluster-size-threshold', 'number', 50),
  setting('kube-controller-manager', 'unhealthy-zone-threshold', 'number', 0.55),
  setting('kube-controller-manager', 'terminated-pod-gc-threshold', 'number', 12500),
  setting('kube-controller-manager', 'attach-detach-reconcile-sync-period', 'duration', '1m'),
  setting('kube-controller-manager', 'disable-attach-detach-reconcile-sync', 'boolean', false),
  setting('kube-controller-manager', 'disable-force-detach-on-timeout', 'boolean', false),
  setting('kube-scheduler', 'kube-api-qps', 'number', 50),
  setting('kube-scheduler', 'kube-api-burst', 'number', 100),
  setting('kube-scheduler', 'bindTimeoutSeconds', 'number', 600),
  setting('kube-scheduler', 'podInitialBackoffSeconds', 'number', 1),
  setting('kube-scheduler', 'podMaxBackoffSeconds', 'number', 10),
  setting('csi-provisioner', 'timeout', 'duration', '10s'),
  setting('csi-provisioner', 'retry-interval-start', 'duration', '1s'),
  setting('csi-provisioner', 'retry-interval-max', 'duration', '5m'),
  setting('csi-provisioner', 'worker-threads', 'number', 100),
  setting('csi-provisioner', 'kube-api-qps', 'number', 5),
  setting('csi-provisioner', 'kube-api-burst', 'number', 10),
  setting('csi-provisioner', 'default-fstype', 'string', ''),
  setting('csi-provisioner', 'extra-create-metadata', 'boolean', false),
  setting('csi-provisioner', 'strict-topology', 'boolean', false),
  setting('csi-provisioner', 'immediate-topology', 'boolean', true),
  setting('csi-provisioner', 'enable-capacity', 'boolean', false),
  setting('csi-provisioner', 'capacity-for-immediate-binding', 'boolean', false),
  setting('csi-provisioner', 'controller-publish-readonly', 'boolean', false),
  setting('csi-provisioner', 'prevent-volume-mode-conversion', 'boolean', true),
  setting('csi-provisioner', 'volume-name-prefix', 'string', 'pvc'),
  setting('csi-provisioner', 'volume-name-uuid-length', 'number', -1),
  setting('csi-attacher', 'timeout', 'duration', '15s'),
  setting('csi-attacher', 'retry-interval-start', 'duration', '1s'),
  setting('csi-attacher', 'retry-interval-max', 'duration', '5m'),
  setting('csi-attacher', 'resync', 'duration', '10m'),
  setting('csi-attacher', 'worker-threads', 'number', 10),
  setting('csi-attacher', 'reconcile-sync', 'duration', '1m'),
  setting('csi-attacher', 'max-entries', 'number', 0),
  setting('csi-attacher', 'default-fstype', 'string', ''),
  setting('csi-attacher', 'kube-api-qps', 'number', 5),
  setting('csi-attacher', 'kube-api-burst', 'number', 10),
  setting('csi-resizer', 'timeout', 'duration', '10s'),
  setting('csi-resizer', 'retry-interval-start', 'duration', '1s'),
  setting('csi-resizer', 'retry-interval-max', 'duration', '5m'),
  setting('csi-resizer', 'resync-period', 'duration', '10m'),
  setting('csi-resizer', 'workers', 'number', 10),
  setting('csi-resizer', 'handle-volume-inuse-error', 'boolean', true),
  setting('csi-resizer', 'extra-modify-metadata', 'boolean', false),
  setting('csi-resizer', 'kube-api-qps', 'number', 5),
  setting('csi-resizer', 'kube-api-burst', 'number', 10),
  setting('kubelet', 'kube-api-qps', 'number', 50),
  setting('kubelet', 'kube-api-burst', 'number', 100),
];

/** Controllers that ask for much and may. kubernetes:cmd/kube-controller-manager/app/core.go */
const CHATTY: Readonly<Record<string, { readonly qpsTimes: number; readonly burstTimes: number }>> = {
  'namespace-controller': { qpsTimes: 20, burstTimes: 100 },
  'garbage-collector-controller': { qpsTimes: 2, burstTimes: 1 },
};

/** Why a given setting cannot be taken; undefined if it can. */
export function faultOfSetting(name: string, value: SettingValue): string | undefined {
  const found = find(name);
  if (found.length === 0) return `unknown setting "${name}"${suggestion(name)}`;
  if (found.length > 1) return `"${name}" belongs to several programs: write ${found.map(fullName).join(' or ')}`;
  const type = found[0]?.type;
  if (type === 'duration')
    return parseDuration(String(value)) === undefined
      ? `"${name}" needs a duration such as 15s or 2m30s, not ${JSON.stringify(value)}`
      : undefined;
  return typeof value === type ? undefined : `"${name}" needs a ${type}, not ${JSON.stringify(value)}`;
}

/** All settings with their defaults filled in, read by program and flag. */
export class Settings {
  readonly #values = new Map<string, SettingValue>();

  constructor(given: Readonly<Record<string, SettingValue>>) {
    for (const each of SETTINGS) this.#values.set(fullName(each), each.default);
    for (const [name, value] of Object.entries(given)) {
      const [only, ...more] = find(name);
      const fault = faultOfSetting(name, value);
      if (fault !== undefined || only === undefined || more.length > 0)
        throw new Error(fault ?? `unknown setting "${name}"`);
      this.#values.set(fullName(only), value);
    }
  }

  durationMs(program: Program, flag: string): number {
    const parsed = parseDuration(String(this.#value(program, flag)));
    if (parsed === undefined) throw new Error(`${program}.${flag} is not a duration`);
    return parsed;
  }

  /** Undefined where nothing is given and the default depends on the version. */
  givenDurationMs(program: Program, flag: string): number | undefined {
    return this.#value(program, flag) === BY_PROFILE ? undefined : this.durationMs(program, flag);
  }

  number(program: Program, flag: string): number {
    return Number(this.#value(program, flag));
  }

  boolean(program: Program, flag: string): boolean {
    return this.#value(program, flag) === true;
  }

  text(program: Program, flag: string): string {
    return String(this.#value(program, flag));
  }

  /** Client-side limits; a qps of 0 or less means none, as upstream reads a negative one. */
  limits(program: Program, component = ''): ClientLimits | undefined {
    const qps = this.number(program, 'kube-api-qps');
    if (qps <= 0) return undefined;
    const { qpsTimes = 1, burstTimes = 1 } = CHATTY[component] ?? {};
    return { qps: qps * qpsTimes, burst: this.number(program, 'kube-api-burst') * burstTimes };
  }

  #value(program: Program, flag: string): SettingValue {
    const value = this.#values.get(`${program}.${flag}`);
    if (value === undefined) throw new Error(`no setting ${program}.${flag}`);
    return value;
  }
}

const fullName = ({ program, flag }: Setting): string => `${program}.${flag}`;
const find = (name: string): readonly Setting[] =>
  SETTINGS.filter((each) => fullName(each) === name || each.flag === name);

function suggestion(name: string): string {
  const flag = name.slice(name.lastIndexOf('.') + 1);
  const near = SETTINGS.find((each) => each.flag.includes(flag) || flag.includes(each.flag));
  return near === undefined ? '' : `, did you mean "${near.flag}"?`;
}
