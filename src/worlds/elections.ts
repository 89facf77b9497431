// Which of the programs of a world work. All components of one program share its Lease: they run in a process that leads,
// and end with its term. What always holds: a component runs only while its own life and the term of its program both last,
// and a program of which nothing is alive renews no Lease, so that another takes its place.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Cluster } from '../kube/cluster.ts';
import { leadWhileElected } from '../runtime/leader-election.ts';
import { EventRecorder } from '../runtime/recorder.ts';
import { supervise } from '../runtime/supervise.ts';
import { LEASE_NAMESPACE, type ProgramLease } from './program-lease.ts';
import { lifetime } from './lifetime.ts';

export interface ElectionsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Who we are, other than every other candidate. One who comes back under the same name takes its Lease back at once. */
  readonly identity: string;
  /** Give Leases up when their last component ends. */
  readonly releases: boolean;
  /** Told of every change of who leads. */
  readonly onLeader?: (lease: string, identity: string) => void;
}

interface Member {
  readonly life: AbortSignal;
  readonly start: (signal: AbortSignal) => void;
}

interface Candidacy {
  readonly members: Set<Member>;
  readonly stop: AbortController;
  readonly over: Promise<void>;
  /** Settles when it is known who leads, or when nobody asks any more. */
  readonly decided: Promise<void>;
  readonly decide: () => void;
  /** Fires at the end of the term; undefined while somebody else leads. */
  term: AbortSignal | undefined;
}

export class Elections {
  readonly #options: ElectionsOptions;
  readonly #candidacies = new Map<string, Candidacy>();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: ElectionsOptions) {
    this.#options = options;
  }

  /** Starts the component in every term of its program, until its life ends. */
  join(lease: ProgramLease, cluster: Cluster, member: Member): void {
    if (member.life.aborted) return;
    const candidacy = this.#candidacies.get(lease.name) ?? this.#stand(lease, cluster);
    candidacy.members.add(member);
    member.life.addEventListener('abort', () => this.#leave(lease.name, candidacy, member), { once: true });
    if (candidacy.term !== undefined) begin(member, candidacy.term);
  }

  isLeading(lease: string): boolean {
    return this.#candidacies.get(lease)?.term !== undefined;
  }

  /** When it is known who leads every program. */
  async decided(): Promise<void> {
    await Promise.all([...this.#candidacies.values()].map((candidacy) => candidacy.decided));
  }

  /** When all that was left is over, Leases released. */
  async settled(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #stand(lease: ProgramLease, cluster: Cluster): Candidacy {
    const { clock, random, log, identity, releases, onLeader } = this.#options;
    const stop = lifetime();
    const source = { cluster, clock, random, log, signal: stop.signal, component: lease.sourceOf(identity) };
    const over = leadWhileElected(
      {
        cluster,
        clock,
        random,
        log,
        identity,
        name: lease.name,
        namespace: LEASE_NAMESPACE,
        times: lease.times,
        releaseOnCancel: releases,
        recorder: new EventRecorder(source),
        lead: (signal) => beginTerm(candidacy, signal),
        onNewLeader: (leader) => {
          candidacy.decide();
          onLeader?.(lease.name, leader);
        },
      },
      stop.signal,
    );
    const { promise: decided, resolve: decide } = settledLater();
    const candidacy: Candidacy = { members: new Set(), stop, over, decided, decide, term: undefined };
    this.#candidacies.set(lease.name, candidacy);
    supervise(`lease ${lease.name}`, over, log);
    return candidacy;
  }

  #leave(name: string, candidacy: Candidacy, member: Member): void {
    candidacy.members.delete(member);
    if (candidacy.members.size > 0) return;
    this.#candidacies.delete(name);
    candidacy.stop.abort();
    candidacy.decide();
    const ending = candidacy.over.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

function beginTerm(candidacy: Candidacy, signal: AbortSignal): void {
  setMaxListeners(0, signal);
  candidacy.term = signal;
  signal.addEventListener('abort', () => (candidacy.term = undefined), { once: true });
  for (const member of candidacy.members) begin(member, signal);
}

function begin({ life, start }: Member, term: AbortSignal): void {
  if (life.aborted || term.aborted) return;
  const both = lifetime();
  const end = (): void => {
    for (const signal of [life, term]) signal.removeEventListener('abort', end);
    both.abort();
  };
  for (const signal of [life, term]) signal.addEventListener('abort', end, { once: true });
  start(both.signal);
}

function settledLater(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
