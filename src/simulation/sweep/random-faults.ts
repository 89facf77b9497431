// What goes wrong in a seed's cluster. A seed plays with some kinds of fault and leaves the others out: a swarm of narrow
// runs finds what a mix of everything hides.
import type { Random } from '../../base/random.ts';
import type { Cast } from '../cast.ts';
import type { FaultType } from '../faults/fault.ts';
import { pickOf } from './random-workloads.ts';
import type { Span } from './span.ts';
import { type StepDocument, milliseconds } from './story-document.ts';

const FIRST_MS = 1_000;
const SHORT_MS = 1_000;
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
const REASONS = ['Conflict', 'TooManyRequests', 'InternalError', 'ServiceUnavailable', 'Timeout'] as const;
const PROGRAMS = ['kube-controller-manager', 'kube-scheduler', 'csi-provisioner', 'csi-attacher'] as const;

type Drawn = Readonly<Record<string, unknown>>;
type Draw = (random: Random, cast: Cast) => Drawn;

const node = (random: Random, { nodes }: Cast): string => pickOf(random, nodes) ?? '';
const component = (random: Random, { components }: Cast): string => pickOf(random, components) ?? '';
const probability = (random: Random): number => random.pick([0.1, 0.3, 0.6, 1]);

/** How each kind of fault is drawn. `node-return` is no fault by itself: every fault of a sweep ends in time. */
const DRAWS: Readonly<Record<Exclude<FaultType, 'node-return'>, Draw>> = {
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
      call: random.pick(CALLS),
      code: isFinal ? random.pick(FINAL) : random.pick(UNCERTAIN),
      probability: probability(random),
      afterEffect: random.chance(isFinal ? 0.1 : 0.4),
    };
  },
  'csi-hang': (random) => ({ call: random.pick(CALLS) }),
  'csi-slow': (random) => ({ call: random.pick(CALLS), by: milliseconds(random.int(500, 40_000)) }),
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
  'leader-change': (random) => ({ program: random.pick(PROGRAMS) }),
};

interface Palette {
  readonly kinds: readonly (readonly [type: string, draw: Draw])[];
  readonly cast: Cast;
  readonly span: Span;
}

export function randomFaults(random: Random, cast: Cast, span: Span): readonly StepDocument[] {
  const kinds = Object.entries(DRAWS).filter(([type]) => random.fork(`plays ${type}`).chance(0.3));
  const count = random.int(0, 12);
  const palette = { kinds, cast, span };
  return Array.from({ length: count }, (_, index) => randomFault(random.fork(`fault ${index}`), palette)).flat();
}

function randomFault(random: Random, { kinds, cast, span }: Palette): readonly StepDocument[] {
  const kind = pickOf(random, kinds);
  if (kind === undefined) return [];
  const [type, draw] = kind;
  const at = random.int(FIRST_MS, BEGUN_BY * span.lastsMs);
  const lasts = Math.round(SHORT_MS * (span.faultMsMax / SHORT_MS) ** random.fraction());
  const fault = { type, ...draw(random, cast) };
  return [{ at: milliseconds(at), fault, for: milliseconds(lasts) }, ...remedies(random, fault, { at, lasts, span })];
}

/** Who sees a dead machine may take it out of service, and puts it back when it has returned, or may delete its Node. */
function remedies(
  random: Random,
  fault: Drawn,
  { at, lasts, span }: { readonly at: number; readonly lasts: number; readonly span: Span },
): readonly StepDocument[] {
  const delay = random.int(5_000, 120_000);
  if (fault['type'] !== 'node-crash' || delay >= lasts) return [];
  const target = `node/${String(fault['node'])}`;
  const about = { mayBeRefused: true };
  const choice = random.fraction();
  if (choice < 0.1) return [{ ...about, at: milliseconds(at + delay), delete: target }];
  const liftedAt = at + lasts + 60_000;
  if (choice > 0.45 || liftedAt >= span.lastsMs) return [];
  const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };
  const patch = (given: object): object => ({ target, type: 'strategic', patch: { spec: { taints: [given] } } });
  return [
    { ...about, at: milliseconds(at + delay), patch: patch(taint) },
    { ...about, at: milliseconds(liftedAt), patch: patch({ ...taint, $patch: 'delete' }) },
  ];
}
