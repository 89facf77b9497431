// A promise that must hold at every moment of a run. It hears every fact and says when the promise is broken. What upstream
// itself does not keep in the same circumstances is told as well, but is no failure of ours.
import type { InstantMs } from '../../base/clock.ts';
import type { Fact } from './fact.ts';
import type { Scene } from './scene.ts';

export interface Finding {
  readonly checker: string;
  /** `known`: upstream, too, does so in these circumstances. */
  readonly severity: 'violation' | 'known';
  /** The object or volume: `pv/disk-1`, `volume 8c1…`. */
  readonly about: string;
  /** One sentence. */
  readonly says: string;
  readonly at: InstantMs;
}

export interface Checker {
  readonly name: string;
  observe(fact: Fact): void;
  /** Faults are healed and the world had time to converge. */
  atRest?(): void;
}

/** How a checker tells what it found. */
export type Tell = (found: Pick<Finding, 'severity' | 'about' | 'says'>) => void;
/** The scene already shows what a fact did when the checker hears of it. */
export type MakeChecker = (scene: Scene, tell: Tell) => Checker;
