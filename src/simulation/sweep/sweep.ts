// Plays seeds and says of each whether every promise held: safety while faults act, liveness when they are healed.
// Nothing here depends on real time or on what else runs, so a seed ends the same way on any machine and any thread.
import { AssertionFailure } from '../../base/assert.ts';
import { type DurationMs, SECOND_MS } from '../../base/clock.ts';
import type { Finding } from '../checkers/checker.ts';
import { type StoryRun, runStory } from '../run-story.ts';
import { randomStory } from './random-story.ts';
import { type StoryDocument, storyOf } from './story-document.ts';
import { hashOf } from './timeline-hash.ts';

/** The first thing that went wrong. Two runs fail alike when `kind` and `about` are equal. */
export interface Failure {
  /** A checker's name, `assertion`, `bug` for another exception of ours, `spin`, or `refused` for a step. */
  readonly kind: string;
  readonly about: string;
  readonly says: string;
}

export interface SeedOutcome {
  readonly seed: number;
  readonly failure?: Failure;
  /** What upstream does not keep either, as `checker: sentence` without names. */
  readonly known: readonly string[];
  /** Equal for equal runs. */
  readonly hash: string;
  readonly entries: number;
  readonly virtualMs: DurationMs;
}

export async function playSeed(seed: number): Promise<SeedOutcome> {
  return outcomeOf(seed, await play(randomStory(seed)));
}

export type Played = { readonly run: StoryRun } | { readonly bug: Error };

/** An exception of a run is an outcome like any other. */
export async function play(document: StoryDocument): Promise<Played> {
  try {
    return { run: await runStory(storyOf(document)) };
  } catch (error) {
    return { bug: error instanceof Error ? error : new Error(String(error)) };
  }
}

export function failureOf(played: Played): Failure | undefined {
  if ('bug' in played) {
    const kind = played.bug instanceof AssertionFailure ? 'assertion' : 'bug';
    return { kind, about: '', says: played.bug.message };
  }
  const { findings, verdicts } = played.run;
  const violation = findings.find(({ severity }) => severity === 'violation');
  if (violation !== undefined) return { kind: violation.checker, about: violation.about, says: violation.says };
  if (isBusy(played.run)) return { kind: 'spin', about: 'the world', says: BUSY };
  const failed = verdicts.find(({ passed }) => !passed);
  return failed === undefined ? undefined : { kind: 'refused', about: failed.expectation, says: failed.why };
}

/** Many times what any seed needs: some component wakes itself again and again without getting on. */
const TIMERS_PER_SECOND_MAX = 100;
const BUSY = `more than ${TIMERS_PER_SECOND_MAX} timers a second went off`;

const isBusy = ({ timers, lastedMs }: StoryRun): boolean => timers > TIMERS_PER_SECOND_MAX * (lastedMs / SECOND_MS);

function outcomeOf(seed: number, played: Played): SeedOutcome {
  const failure = failureOf(played);
  const run = 'run' in played ? played.run : undefined;
  return {
    seed,
    ...(failure === undefined ? {} : { failure }),
    known: [...new Set((run?.findings ?? []).filter(({ severity }) => severity === 'known').map(kindOf))],
    hash: hashOf(run?.entries ?? []),
    entries: run?.entries.length ?? 0,
    virtualMs: run?.lastedMs ?? 0,
  };
}

/** The same sentence for the same kind of thing: names and numbers are left out. */
function kindOf({ checker, says }: Finding): string {
  const reason = says.slice(says.lastIndexOf(': ') + 1).trim();
  return `${checker}: ${reason.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\b(node|pod|pvc|pv|va)[-/][\w./-]+/g, '…')}`;
}
