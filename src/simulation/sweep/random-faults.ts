// What goes wrong in a seed's cluster, and what people do about it.
import type { Random } from '../../base/random.ts';
import type { Cast } from '../cast.ts';
import { pickOf } from './random-workloads.ts';
import { type StepDocument, milliseconds } from './story-document.ts';
import type { DrawnType, Theme } from './theme.ts';

const FIRST_MS = 1_000;
/** Much happens at first, when workloads appear. */
const EARLY_MS = 75_000;
const EARLY_SHARE = 0.5;
/** All faults have begun by this share of the time. */
const BEGUN_BY = 0.7;

/** Answers after which a caller knows that the work may have been done, and answers that end the matter. */
const UNCERTAIN = ['DEADLINE_EXCEEDED', 'UNAVAILABLE', 'ABORTED'] as const;
const FINAL = ['INTERNAL', 'FAILED_PRECONDITION', 'UNKNOWN'] as const;
const CONTROLLER_CALLS = [
  'CreateVolume',
  'DeleteVolume',
  'ControllerPublishVolume',
  'ControllerUnpublishVolume',
] as const;
const NODE_CALLS = ['NodeStageVolume', 'NodeUnstageVolume', 'NodePublishVolume', 'NodeUnpublishVolume'] as const;
const CALLS = [...CONTROLLER_CALLS, ...NODE_CALLS] as const;
const GROWING_CALLS = ['ControllerExpandVolume', 'NodeExpandVolume'] as const;
const GROWING_SHARE = 0.2;
const REASONS = ['Conflict', 'TooManyRequests', 'InternalError', 'ServiceUnavailable', 'Timeout'] as const;
const PROGRAMS = ['kube-controller-manager', 'kube-scheduler', 'csi-provisioner', 'csi-attacher'] as const;
const RESIZER_SHARE = 0.2;

type Drawn = Readonly<Record<string, unknown>>;
type Draw = (random: Random, cast: Cast) => Drawn;

const node = (random: Random, { nodes }: Cast): string => pickOf(random, nodes) ?? '';
/** Components that have little to do with volumes are seldom disturbed. */
const ASIDE = /quota|namespace|garbage-collector-|attributesclass|disruption/;
function component(random: Random, { components }: Cast): string {
  const inside = components.filter((name) => !ASIDE.test(name));
  return pickOf(random, random.chance(0.9) ? inside : components) ?? '';
}
function call(random: Random): string {
  const growing = random.fork('growing');
  const other = random.pick(CALLS);
  return growing.chance(GROWING_SHARE) ? growing.pick(GROWING_CALLS) : other;
}
function program(random: Random): string {
  const other = random.pick(PROGRAMS);
  return random.fork('resizer').chance(RESIZER_SHARE) ? 'csi-resizer' : other;
}
const probability = (random: Random): number => random.pick([0.1, 0.3, 0.6, 1]);

/** How each kind of fault is drawn. */
const DRAWS: Readonly<Record<DrawnType, Draw>> = {
  'node-crash': (random, cast) => ({ node: node(random, cast) }),
  'node-freeze': (random, cast) => ({ node: node(random, cast) }),
  'kubelet-restart': (random, cast) => ({ node: node(random, cast) }),
  partition: (random, cast) => ({ node: node(random, cast), from: random.pick(['api', 'api', 'storage', 'both']) }),
  'clock-step': (random, cast) => ({ node: node(random, cast), by: `${random.int(-3600, 3600)}s` }),
  'disk-full': (random, cast) => ({ node: node(random, cast) }),
  'device-busy': (random, cast) => ({ node: node(random, cast) }),
  csi: (random) => {
    const isFinal = random.chance(0.5);
    return {
      call: call(random),
      code: isFinal ? random.pick(FINAL) : random.pick(UNCERTAIN),
      probability: probability(random),
      afterEffect: random.chance(isFinal ? 0.1 : 0.4),
    };
  },
  'csi-hang': (random) => ({ call: call(random) }),
  'csi-slow': (random) => ({ call: call(random), by: milliseconds(random.int(500, 40_000)) }),
  'api-error': (random, cast) => ({
    actor: component(random, cast),
    reason: random.pick(REASONS),
    probability: probability(random),
    afterEffect: random.chance(0.3),
  }),
  'api-latency': (random, cast) => ({ actor: component(random, cast), by: milliseconds(random.int(100, 8_000)) }),
  'stale-reads': (random, cast) => ({ actor: component(random, cast) }),
  'watch-drop': (random, cast) => ({ actor: component(random, cast) }),
  'component-restart': (random, cast) => ({ component: component(random, cast) }),
  'component-crash': (random, cast) => ({ component: component(random, cast) }),
  'component-freeze': (random, cast) => ({ component: component(random, cast) }),
  'leader-change': (random) => ({ program: program(random) }),
};

interface Scenery {
  readonly theme: Theme;
  readonly cast: Cast;
  /** Names of pods that people know. */
  readonly pods: readonly string[];
}

export function randomFaults(random: Random, scenery: Scenery): readonly StepDocument[] {
  const [fewest, most] = scenery.theme.faults;
  const count = random.int(fewest, most + 1);
  return Array.from({ length: count }, (_, index) => randomFault(random.fork(`fault ${index}`), scenery)).flat();
}

function randomFault(random: Random, scenery: Scenery): readonly StepDocument[] {
  const { theme, cast } = scenery;
  const type = random.pick(theme.kinds);
  const at = random.chance(EARLY_SHARE)
    ? random.int(FIRST_MS, EARLY_MS)
    : random.int(FIRST_MS, BEGUN_BY * theme.lastsMs);
  const [shortest, longest] = theme.faultMs;
  const lasts = Math.round(shortest * (longest / shortest) ** random.fraction());
  const fault: Drawn = { type, ...DRAWS[type](random, cast) };
  const began = { at: milliseconds(at), fault, for: milliseconds(lasts) };
  return type === 'node-crash'
    ? [began, ...remedies(random, { at, lasts, node: String(fault['node']) }, scenery)]
    : [began];
}

interface Crash {
  readonly at: number;
  readonly lasts: number;
  readonly node: string;
}

/** Who sees a dead machine may force its pods away, take it out of service until it has returned, or delete its Node. */
function remedies(random: Random, { at, lasts, node: name }: Crash, { theme, pods }: Scenery): readonly StepDocument[] {
  const delay = random.int(5_000, 150_000);
  if (delay >= lasts) return [];
  const about = { at: milliseconds(at + delay), mayBeRefused: true };
  const target = `node/${name}`;
  const liftedAt = at + lasts + 60_000;
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  // A patch writes the whole list. The taints of the node's own condition come back by themselves.
  const patch = (taints: readonly object[] | null): object => ({ target, type: 'merge', patch: { spec: { taints } } });
  switch (random.pick(['nothing', 'force', 'force', 'taint', 'delete'])) {
    case 'force':
      return pods
        .filter(() => random.chance(0.6))
        .map((pod) => ({ ...about, delete: { target: `pod/${pod}`, force: true } }));
    case 'taint':
      if (liftedAt >= theme.lastsMs) return [];
      return [
        { ...about, patch: patch([taint]) },
        { ...about, at: milliseconds(liftedAt), patch: patch(null) },
      ];
    case 'delete':
      return random.chance(0.5) ? [{ ...about, delete: target }] : [];
    default:
      return [];
  }
}
