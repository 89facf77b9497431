// What a seed is about. A swarm of narrow runs finds what a mix of everything hides: where all sorts of things go wrong,
// most of them hit nothing.
import { type DurationMs, MINUTE_MS, SECOND_MS } from '../../base/clock.ts';
import type { Random } from '../../base/random.ts';
import type { FaultType } from '../faults/fault.ts';

/** `node-return` is no fault by itself: every fault of a sweep ends in time. */
export type DrawnType = Exclude<FaultType, 'node-return'>;

export interface Theme {
  readonly name: string;
  readonly lastsMs: DurationMs;
  /** How many faults, from and up to. */
  readonly faults: readonly [number, number];
  /** How long each of them lasts; drawn so that short ones are as frequent as long ones. */
  readonly faultMs: readonly [DurationMs, DurationMs];
  /** Kinds that are drawn, more often where they stand twice. */
  readonly kinds: readonly [DrawnType, ...DrawnType[]];
  /** How many things people do, from and up to. */
  readonly actions: readonly [number, number];
}

const ALL: Theme['kinds'] = [
  'node-crash',
  'node-freeze',
  'kubelet-restart',
  'partition',
  'clock-step',
  'disk-full',
  'device-busy',
  'csi',
  'csi-hang',
  'csi-slow',
  'api-error',
  'api-latency',
  'stale-reads',
  'watch-drop',
  'component-restart',
  'component-crash',
  'component-freeze',
  'leader-change',
];

const THEMES: readonly [Theme, ...Theme[]] = [
  {
    name: 'anything',
    lastsMs: 6 * MINUTE_MS,
    faults: [0, 12],
    faultMs: [SECOND_MS, 2 * MINUTE_MS],
    kinds: ALL,
    actions: [0, 6],
  },
  // Long enough for pods to be evicted and for the six minutes after which volumes are detached by force.
  {
    name: 'lost nodes',
    lastsMs: 18 * MINUTE_MS,
    faults: [1, 4],
    faultMs: [30 * SECOND_MS, 14 * MINUTE_MS],
    kinds: ['node-crash', 'node-crash', 'node-freeze', 'partition', 'kubelet-restart', 'leader-change', 'clock-step'],
    actions: [0, 3],
  },
  {
    name: 'a bad driver',
    lastsMs: 6 * MINUTE_MS,
    faults: [2, 9],
    faultMs: [5 * SECOND_MS, 3 * MINUTE_MS],
    kinds: ['csi', 'csi', 'csi', 'csi-hang', 'csi-slow', 'csi-slow', 'kubelet-restart', 'component-restart'],
    actions: [1, 8],
  },
  {
    name: 'a restless control plane',
    lastsMs: 5 * MINUTE_MS,
    faults: [4, 14],
    faultMs: [SECOND_MS, 45 * SECOND_MS],
    kinds: [
      'api-error',
      'api-error',
      'api-latency',
      'stale-reads',
      'watch-drop',
      'component-restart',
      'component-crash',
      'component-freeze',
      'leader-change',
    ],
    actions: [2, 10],
  },
  {
    name: 'restless kubelets',
    lastsMs: 6 * MINUTE_MS,
    faults: [3, 10],
    faultMs: [SECOND_MS, 90 * SECOND_MS],
    kinds: [
      'kubelet-restart',
      'kubelet-restart',
      'disk-full',
      'device-busy',
      'partition',
      'node-freeze',
      'csi',
      'csi-slow',
    ],
    actions: [2, 8],
  },
];

export function randomTheme(random: Random): Theme {
  return random.pick(THEMES);
}
