// What the users of a seed's cluster run, and what they do to it.
import type { Random } from '../../base/random.ts';
import type { RandomCluster, RandomDriver } from './random-cluster.ts';
import { type StepDocument, milliseconds } from './story-document.ts';
import type { Theme } from './theme.ts';

/** Workloads appear in the first minute; people act until this share of the time. */
const APPEAR_MS = 60_000;
const ACTED_BY = 0.8;
/** Claims are grown at most this often in a story; no claim begins as large as the least that one is grown to. */
const GROWTHS_MAX = 4;
const GROWN_GI = [20, 80] as const;
const BLOCK_SHARE = 0.2;
/** Of Deployments that are never called failed. */
const NO_DEADLINE = 2 ** 31 - 1;

/** What people can do to a workload later. */
interface Workload {
  readonly objects: readonly object[];
  readonly pods: readonly string[];
  readonly claims: readonly string[];
  /** `statefulset/db`, to scale. */
  readonly scalable?: string;
}

export interface RandomWorkloads {
  readonly steps: readonly StepDocument[];
  /** Names that people know. */
  readonly pods: readonly string[];
}

export function randomWorkloads(random: Random, cluster: RandomCluster, theme: Theme): RandomWorkloads {
  const workloads = Array.from({ length: random.int(1, 7) }, (_, index) =>
    randomWorkload(random.fork(`workload ${index}`), cluster, `w${index + 1}`),
  );
  const appear = workloads.map(({ objects }) => ({ at: milliseconds(random.int(0, APPEAR_MS)), apply: objects }));
  const [fewest, most] = theme.actions;
  const actions = Array.from({ length: random.int(fewest, most + 1) }, (_, index) => {
    const each = random.fork(`action ${index}`);
    return randomAction(each, workloads[each.int(0, workloads.length)], ACTED_BY * theme.lastsMs);
  });
  const growths = randomGrowths(random.fork('growths'), workloads, ACTED_BY * theme.lastsMs);
  return { steps: [...appear, ...actions.flat(), ...growths], pods: workloads.flatMap(({ pods }) => pods) };
}

/** People ask for more room. Who asked for too much may ask for less, as long as it is more than there is. */
function randomGrowths(random: Random, workloads: readonly Workload[], untilMs: number): readonly StepDocument[] {
  const claims = workloads.flatMap((workload) => workload.claims);
  return Array.from({ length: random.int(0, GROWTHS_MAX + 1) }, () => {
    const target = pickOf(random, claims);
    const at = milliseconds(random.int(APPEAR_MS / 2, untilMs));
    const storage = `${random.int(...GROWN_GI)}Gi`;
    const patch = { target: `pvc/${target ?? ''}`, patch: { spec: { resources: { requests: { storage } } } } };
    return target === undefined ? [] : [{ at, mayBeRefused: true, patch }];
  }).flat();
}

function randomWorkload(random: Random, { drivers }: RandomCluster, name: string): Workload {
  const driver = random.pick(drivers);
  const make = random.pick([
    podWithClaim,
    podWithClaim,
    statefulSet,
    statefulSet,
    deployment,
    lonelyClaim,
    scratchPod,
    twoPods,
  ]);
  return make(random, driver, name);
}

type Make = (random: Random, driver: RandomDriver, name: string) => Workload;

const podWithClaim: Make = (random, driver, name) => ({
  objects: [
    claim(random, driver, `${name}-data`),
    { kind: 'Pod', metadata: { name }, spec: podSpec(random, { claims: [`${name}-data`] }) },
  ],
  pods: [name],
  claims: [`${name}-data`],
});

const lonelyClaim: Make = (random, driver, name) => ({
  objects: [claim(random, driver, `${name}-data`)],
  pods: [],
  claims: [`${name}-data`],
});

const scratchPod: Make = (random, driver, name) => {
  const scratch = {
    name: 'scratch',
    ephemeral: { volumeClaimTemplate: { spec: claimSpec(random, driver, 'ReadWriteOnce') } },
  };
  return {
    objects: [
      { kind: 'Pod', metadata: { name }, spec: { ...podSpec(random, { mounts: ['scratch'] }), volumes: [scratch] } },
    ],
    pods: [name],
    claims: [],
  };
};

/** Two pods share a claim; whether they may is the claim's business. */
const twoPods: Make = (random, driver, name) => {
  const spec = podSpec(random, { claims: [`${name}-data`] });
  const pods = [`${name}-a`, `${name}-b`];
  return {
    objects: [
      claim(random, driver, `${name}-data`),
      ...pods.map((pod) => ({ kind: 'Pod', metadata: { name: pod }, spec })),
    ],
    pods,
    claims: [`${name}-data`],
  };
};

const statefulSet: Make = (random, driver, name) => {
  const replicas = random.int(1, 4);
  const template = { metadata: { labels: { app: name } }, spec: podSpec(random, { mounts: ['data'] }) };
  const claims = [{ metadata: { name: 'data' }, spec: claimSpec(random, driver, 'ReadWriteOnce') }];
  const spec = {
    replicas,
    serviceName: name,
    selector: { matchLabels: { app: name } },
    template,
    volumeClaimTemplates: claims,
  };
  const names = Array.from({ length: replicas }, (_, index) => `${name}-${index}`);
  return {
    objects: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name }, spec }],
    pods: names,
    claims: names.map((pod) => `data-${pod}`),
    scalable: `statefulset/${name}`,
  };
};

const deployment: Make = (random, driver, name) => {
  const template = { metadata: { labels: { app: name } }, spec: podSpec(random, { claims: [`${name}-data`] }) };
  const spec = {
    replicas: 1,
    progressDeadlineSeconds: NO_DEADLINE,
    selector: { matchLabels: { app: name } },
    template,
  };
  return {
    objects: [
      claim(random, driver, `${name}-data`),
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec },
    ],
    pods: [],
    claims: [`${name}-data`],
    scalable: `deployment/${name}`,
  };
};

function claim(random: Random, driver: RandomDriver, name: string): object {
  const modes = driver.isShared
    ? (['ReadWriteMany', 'ReadWriteOnce'] as const)
    : (['ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod'] as const);
  return { kind: 'PersistentVolumeClaim', metadata: { name }, spec: claimSpec(random, driver, random.pick(modes)) };
}

function claimSpec(random: Random, { classes }: RandomDriver, mode: string): object {
  const [first = '', ...others] = classes;
  const storage = `${random.int(1, 20)}Gi`;
  return {
    accessModes: [mode],
    storageClassName: random.pick([first, ...others]),
    resources: { requests: { storage } },
    ...(isBlock(random) ? { volumeMode: 'Block' } : {}),
  };
}

/** All volumes of a workload are devices, or all are file systems: the pods and the claims of one must agree. */
const isBlock = (random: Random): boolean => random.fork('block').chance(BLOCK_SHARE);

/** A pod with volumes of these claims, which uses them and others of the given names. */
function podSpec(
  random: Random,
  { claims = [], mounts = [] }: { readonly claims?: readonly string[]; readonly mounts?: readonly string[] },
): Readonly<Record<string, unknown>> {
  const volumes = claims.map((claimName, index) => ({ name: `v${index}`, persistentVolumeClaim: { claimName } }));
  const used = [...volumes.map(({ name }) => name), ...mounts];
  const uses = isBlock(random)
    ? { volumeDevices: used.map((name) => ({ name, devicePath: `/dev/${name}` })) }
    : { volumeMounts: used.map((name) => ({ name, mountPath: `/${name}` })) };
  const seconds = random.pick([30, 30, 60, 5]);
  const tolerations = ['not-ready', 'unreachable'].map((each) => ({
    key: `node.kubernetes.io/${each}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  }));
  return {
    containers: [{ name: 'main', image: 'app', ...uses }],
    terminationGracePeriodSeconds: random.pick([30, 1, 5]),
    ...(random.chance(0.5) ? { tolerations } : {}),
    volumes,
  };
}

function randomAction(random: Random, workload: Workload | undefined, untilMs: number): readonly StepDocument[] {
  const atMs = random.int(APPEAR_MS, untilMs);
  const at = milliseconds(atMs);
  const pod = pickOf(random, workload?.pods ?? []);
  const aClaim = pickOf(random, workload?.claims ?? []);
  const about = { at, mayBeRefused: true };
  const replicas = random.int(0, 4);
  const choices: readonly (StepDocument | undefined)[] = [
    pod === undefined ? undefined : { ...about, delete: `pod/${pod}` },
    pod === undefined ? undefined : { ...about, delete: { target: `pod/${pod}`, force: true } },
    aClaim === undefined ? undefined : { ...about, delete: `pvc/${aClaim}` },
    workload?.scalable === undefined
      ? undefined
      : { ...about, patch: { target: workload.scalable, patch: { spec: { replicas } } } },
  ];
  const possible = choices.filter((each) => each !== undefined);
  const chosen = pickOf(random, possible);
  if (chosen === undefined) return [];
  // Some make anew what they deleted.
  const again = {
    at: milliseconds(atMs + random.int(100, 60_000)),
    mayBeRefused: true,
    apply: workload?.objects ?? [],
  };
  return random.chance(0.3) ? [chosen, again] : [chosen];
}

export function pickOf<T>(random: Random, choices: readonly T[]): T | undefined {
  return choices.length === 0 ? undefined : choices[random.int(0, choices.length)];
}
