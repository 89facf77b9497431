// `mooring sim sweep`: many seeds, on as many threads as wanted. The bundle is one file: a thread starts the same file and
// finds in its data that it is to play seeds. Results are told in the order of seeds, so they do not depend on threads.
import { availableParallelism } from 'node:os';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import type { Command } from 'commander';
import type { SeedOutcome } from '../simulation/sweep/sweep.ts';
import { CommandError, EXIT } from './command-error.ts';
import { wholeNumber } from './sim-seed.ts';
import { printTable } from './table.ts';

/** Seeds that a thread takes at once. */
const BATCH = 4;
const MARK = 'mooring sim sweep';
const MICROSECONDS = 1e6;
const PROGRESS_MS = 1000;

interface SweepOptions {
  readonly seeds: string;
  readonly seed: string;
  readonly jobs?: string;
  readonly shard?: string;
  readonly output: string;
  readonly minimise: boolean;
}

export function addSweep(sim: Command): void {
  sim
    .command('sweep')
    .description('Play many random stories under random faults and check every promise')
    .option('--seeds <number>', 'how many seeds', '100')
    .option('--seed <number>', 'the first seed', '1')
    .option('--jobs <number>', 'threads; default: one a processor')
    .option('--shard <i/n>', 'only the i-th of n parts of the seeds')
    .option('-o, --output <format>', 'table or json', 'table')
    .option('--no-minimise', 'do not make the first failing story small')
    .addHelpText(
      'after',
      '\nExample:\n  mooring sim sweep --seeds 1000 --seed 1\n  mooring sim sweep --seeds 1000000 --shard 3/100 -o json',
    )
    .action(sweep);
}

/** True in a thread that was started to play seeds; it then does so until it is ended. */
export function isSweepThread(): boolean {
  return !isMainThread && workerData === MARK;
}

export async function runSweepThread(): Promise<void> {
  const { playSeed } = await import('../simulation/sweep/sweep.ts');
  const queue: number[] = [];
  const state = { busy: false };
  const work = async (): Promise<void> => {
    state.busy = true;
    for (let seed = queue.shift(); seed !== undefined; seed = queue.shift())
      parentPort?.postMessage(await playSeed(seed));
    state.busy = false;
  };
  parentPort?.on('message', (seeds: readonly number[]) => {
    queue.push(...seeds);
    if (!state.busy) void work();
  });
}

async function sweep(options: SweepOptions): Promise<void> {
  if (options.output !== 'table' && options.output !== 'json')
    throw new CommandError(`unknown output "${options.output}": write table or json`);
  const seeds = seedsOf(options);
  const jobs = Math.min(
    options.jobs === undefined ? availableParallelism() : wholeNumber('--jobs', options.jobs),
    Math.max(1, seeds.length),
  );
  if (jobs < 1) throw new CommandError('--jobs must be at least 1');
  const progress = new Progress(seeds.length);
  const outcomes = jobs === 1 ? await playHere(seeds, progress) : await playOnThreads(seeds, jobs, progress);
  progress.done();
  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  const small = failed[0] !== undefined && options.minimise ? await smallest(failed[0].seed) : undefined;
  process.stdout.write(options.output === 'json' ? asJson(outcomes, small) : asTable(outcomes, small));
  if (failed.length > 0) process.exitCode = EXIT.findings;
}

function seedsOf({ seeds, seed, shard = '1/1' }: SweepOptions): readonly number[] {
  const [count, first] = [wholeNumber('--seeds', seeds), wholeNumber('--seed', seed)];
  const [, part = '', parts = ''] = /^(\d+)\/(\d+)$/.exec(shard) ?? [];
  const [index, shards] = [Number(part), Number(parts)];
  if (part === '' || index < 1 || index > shards)
    throw new CommandError(`--shard takes i/n with i from 1 to n, not "${shard}"`);
  return Array.from({ length: count }, (_, offset) => first + offset).filter(
    (_, offset) => offset % shards === index - 1,
  );
}

async function playHere(seeds: readonly number[], progress: Progress): Promise<readonly SeedOutcome[]> {
  const { playSeed } = await import('../simulation/sweep/sweep.ts');
  const outcomes: SeedOutcome[] = [];
  for (const seed of seeds) {
    const outcome = await playSeed(seed);
    outcomes.push(outcome);
    progress.tell(outcome);
  }
  return outcomes;
}

function playOnThreads(seeds: readonly number[], jobs: number, progress: Progress): Promise<readonly SeedOutcome[]> {
  const [, program = ''] = process.argv;
  const state = { handed: 0 };
  const outcomes = new Map<number, SeedOutcome>();
  return new Promise((resolve, reject) => {
    const workers = Array.from({ length: jobs }, () => new Worker(program, { workerData: MARK }));
    const end = (): void =>
      void Promise.all(workers.map((worker) => worker.terminate())).then(() => resolve(inOrder(outcomes)), reject);
    for (const worker of workers) {
      const hand = (count: number): void => {
        worker.postMessage(seeds.slice(state.handed, state.handed + count));
        state.handed += count;
      };
      worker.on('message', (outcome: SeedOutcome) => {
        outcomes.set(outcome.seed, outcome);
        progress.tell(outcome);
        if (outcomes.size === seeds.length) end();
        else if (state.handed < seeds.length) hand(1);
      });
      worker.on('error', reject);
      hand(BATCH);
    }
    if (seeds.length === 0) end();
  });
}

const inOrder = (outcomes: ReadonlyMap<number, SeedOutcome>): readonly SeedOutcome[] =>
  [...outcomes.values()].toSorted((a, b) => a.seed - b.seed);

/** On stderr: how far it is and how fast; failures as they come. */
class Progress {
  readonly #total: number;
  readonly #startedAt = performance.now();
  readonly #cpu = process.cpuUsage();
  #toldAt = performance.now();
  #played = 0;
  #failed = 0;

  constructor(total: number) {
    this.#total = total;
  }

  tell({ seed, failure }: SeedOutcome): void {
    this.#played++;
    if (failure !== undefined) {
      this.#failed++;
      process.stderr.write(`seed ${seed}: ${failure.kind}: ${failure.about} ${failure.says}\n`);
    }
    if (performance.now() - this.#toldAt < PROGRESS_MS) return;
    this.#toldAt = performance.now();
    process.stderr.write(`${this.#line()}\n`);
  }

  done(): void {
    const { user, system } = process.cpuUsage(this.#cpu);
    const each = (user + system) / MICROSECONDS / Math.max(1, this.#played);
    process.stderr.write(`${this.#line()}, ${each.toFixed(2)} CPU seconds each\n`);
  }

  #line(): string {
    const rate = (1000 * this.#played) / (performance.now() - this.#startedAt);
    return `${this.#played} of ${this.#total} seeds, ${this.#failed} failed, ${rate.toFixed(1)} a second`;
  }
}

interface Small {
  readonly seed: number;
  readonly story: string;
  readonly says: string;
}

async function smallest(seed: number): Promise<Small | undefined> {
  const [{ failureOf, play }, { randomStory }, { minimise }, { printDocument }] = await Promise.all([
    import('../simulation/sweep/sweep.ts'),
    import('../simulation/sweep/random-story.ts'),
    import('../simulation/sweep/minimise.ts'),
    import('../simulation/sweep/story-document.ts'),
  ]);
  process.stderr.write(`making the story of seed ${seed} small\n`);
  const document = randomStory(seed);
  const failure = failureOf(await play(document));
  if (failure === undefined) return undefined;
  const { document: small, failure: left, runs } = await minimise(document, failure);
  process.stderr.write(`${document.steps.length} steps became ${small.steps.length} in ${runs} runs\n`);
  return { seed, story: printDocument(small), says: `${left.kind}: ${left.about} ${left.says}` };
}

function asJson(outcomes: readonly SeedOutcome[], small: Small | undefined): string {
  const failures = outcomes.flatMap(({ seed, failure }) =>
    failure === undefined ? [] : [{ seed, ...failure, replay: replayOf(seed) }],
  );
  const known = Object.fromEntries(tallyOf(outcomes));
  return `${JSON.stringify({ seeds: outcomes.length, held: outcomes.length - failures.length, failures, known, hashes: hashesOf(outcomes), ...(small === undefined ? {} : { smallest: small }) }, undefined, 2)}\n`;
}

/** One hash for all timelines: equal sweeps print equal bytes. */
const hashesOf = (outcomes: readonly SeedOutcome[]): Readonly<Record<string, string>> =>
  Object.fromEntries(outcomes.map(({ seed, hash }) => [`seed ${seed}`, hash]));
const replayOf = (seed: number): string => `mooring sim replay --seed ${seed}`;

function asTable(outcomes: readonly SeedOutcome[], small: Small | undefined): string {
  const failures = outcomes.flatMap(({ seed, failure }) =>
    failure === undefined ? [] : [[String(seed), failure.kind, failure.about, failure.says]],
  );
  const known = tallyOf(outcomes).map(([what, count]) => [String(count), what]);
  const lines = [
    ...(failures.length === 0 ? [] : [printTable(['SEED', 'PROMISE', 'ABOUT', 'WHAT'], failures), '']),
    ...(known.length === 0
      ? []
      : ['What upstream does not keep either, by number of seeds:', ...known.map((row) => `  ${row.join('  ')}`), '']),
    ...(small === undefined
      ? []
      : [
          `The story of seed ${small.seed}, made small (${small.says}):`,
          '',
          small.story,
          'Keep it in a file and play it with: mooring sim run FILE',
          `The whole seed again: ${replayOf(small.seed)}`,
          '',
        ]),
    `${outcomes.length - failures.length} of ${outcomes.length} seeds held`,
  ];
  return `${lines.join('\n')}\n`;
}

function tallyOf(outcomes: readonly SeedOutcome[]): readonly (readonly [what: string, count: number])[] {
  const tally = new Map<string, number>();
  for (const what of outcomes.flatMap(({ known }) => known)) tally.set(what, (tally.get(what) ?? 0) + 1);
  return [...tally].toSorted(([a, count], [b, other]) => other - count || (a < b ? -1 : 1));
}
