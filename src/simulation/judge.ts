// Watches a run and says which expectations held. It hears every committed write, so a state that lasts for a millisecond
// of virtual time is seen as surely as one that lasts an hour.
import { unreachable } from '../base/assert.ts';
import type { DurationMs } from '../base/clock.ts';
import { type KubeObject, keyFrom } from '../kube/object.ts';
import type { Event } from '../kube/resources/event.ts';
import { holds } from './condition.ts';
import type { Expectation, Target, Verdict } from './story.ts';

type TimedExpectation = Extract<Expectation, { readonly type: 'within' | 'never' }>;

interface HeardEvent {
  readonly event: Event;
  readonly atMs: DurationMs;
}

export class Judge {
  readonly #expectations: readonly Expectation[];
  /** Decided ones, by their place in the list. */
  readonly #verdicts = new Map<number, Verdict>();
  /** The newest state of every object that an expectation is about, and the Events about it. */
  readonly #objects = new Map<string, KubeObject>();
  readonly #events = new Map<string, HeardEvent[]>();
  readonly #everSeen = new Set<string>();
  /** Places of those that count only from some time on, as long as that time has not come. */
  readonly #closed: Set<number>;

  constructor(expectations: readonly Expectation[]) {
    this.#expectations = expectations;
    this.#closed = new Set(expectations.flatMap((each, index) => (afterOf(each) === undefined ? [] : [index])));
  }

  /** One committed write, `atMs` after the start of the story; before it while the cluster comes up. */
  observe(object: KubeObject, gone: boolean, atMs: DurationMs): void {
    this.#openUpTo(atMs);
    const about = object.kind === 'Event' ? nameOfInvolved(object as Event) : nameOf(object);
    this.#everSeen.add(about);
    if (object.kind === 'Event') this.#remember(about, { event: object as Event, atMs });
    else if (gone) this.#objects.delete(about);
    else this.#objects.set(about, object);
    this.#expectations.forEach((expectation, index) => {
      if (nameOfTarget(expectation.of) === about) this.#weigh(expectation, index, atMs);
    });
  }

  /** The verdicts when the story is over. */
  conclude(endMs: DurationMs): readonly Verdict[] {
    this.#openUpTo(endMs);
    return this.#expectations.map((expectation, index) => this.#verdicts.get(index) ?? this.#last(expectation, endMs));
  }

  /** What is so when the time of an expectation comes counts, although nobody writes it at that moment. */
  #openUpTo(atMs: DurationMs): void {
    for (const index of this.#closed) {
      const expectation = this.#expectations[index];
      const afterMs = expectation === undefined ? undefined : afterOf(expectation);
      if (expectation === undefined || afterMs === undefined || afterMs >= atMs) continue;
      this.#closed.delete(index);
      this.#weigh(expectation, index, afterMs);
    }
  }

  #remember(about: string, event: HeardEvent): void {
    const known = this.#events.get(about);
    if (known === undefined) this.#events.set(about, [event]);
    else known.push(event);
  }

  #weigh(expectation: Expectation, index: number, atMs: DurationMs): void {
    if (this.#verdicts.has(index) || expectation.type === 'atEnd') return;
    if (atMs < (expectation.afterMs ?? atMs) || !this.#holds(expectation)) return;
    if (expectation.type === 'never') this.#verdicts.set(index, verdict(expectation, false, atMs, 'it was so'));
    else if (atMs <= expectation.withinMs) this.#verdicts.set(index, verdict(expectation, true, atMs, ''));
  }

  #last(expectation: Expectation, endMs: DurationMs): Verdict {
    switch (expectation.type) {
      case 'never':
        return verdict(expectation, true, endMs, '');
      case 'within':
        // What nobody ever wrote is gone from the start.
        if (expectation.condition.type === 'gone' && !this.#everSeen.has(nameOfTarget(expectation.of)))
          return verdict(expectation, true, 0, '');
        return verdict(expectation, false, expectation.withinMs, this.#stateOf(expectation.of));
      case 'atEnd':
        return this.#end(expectation, endMs);
      default:
        return unreachable(expectation);
    }
  }

  #end(expectation: Extract<Expectation, { readonly type: 'atEnd' }>, endMs: DurationMs): Verdict {
    const object = this.#objects.get(nameOfTarget(expectation.of));
    if (expectation.is === 'gone')
      return verdict(expectation, object === undefined, endMs, object === undefined ? '' : 'it is there');
    if (object === undefined) return verdict(expectation, false, endMs, 'it is gone');
    const faults = differences(expectation.is, object, '');
    return verdict(expectation, faults.length === 0, endMs, faults.join(', '));
  }

  #holds({ of, condition, afterMs }: TimedExpectation): boolean {
    const name = nameOfTarget(of);
    const heard = this.#events.get(name) ?? [];
    const events = heard.filter(({ atMs }) => atMs >= (afterMs ?? atMs)).map(({ event }) => event);
    return holds(condition, { object: this.#objects.get(name), events });
  }

  #stateOf(target: Target): string {
    const object: (KubeObject & { readonly status?: { readonly phase?: string } }) | undefined = this.#objects.get(
      nameOfTarget(target),
    );
    if (object === undefined) return 'it is not there';
    return object.status?.phase === undefined ? 'it is not so' : `it is ${object.status.phase}`;
  }
}

function verdict({ text, place }: Expectation, passed: boolean, atMs: DurationMs, why: string): Verdict {
  return { expectation: text, place, passed, atMs: Math.max(0, atMs), why };
}

const afterOf = (expectation: Expectation): DurationMs | undefined =>
  expectation.type === 'atEnd' ? undefined : expectation.afterMs;

/** Where the object differs from the fields given; fields not given may be anything. Null stands for absent. */
function differences(wanted: unknown, seen: unknown, path: string): readonly string[] {
  if (wanted === null) return seen === undefined || seen === null ? [] : [`${path} is ${JSON.stringify(seen)}`];
  if (typeof wanted === 'object' && !Array.isArray(wanted) && typeof seen === 'object' && seen !== null) {
    const fields = seen as Readonly<Record<string, unknown>>;
    return Object.entries(wanted).flatMap(([key, value]) =>
      differences(value, fields[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return JSON.stringify(wanted) === JSON.stringify(seen) ? [] : [`${path} is ${JSON.stringify(seen) ?? 'not set'}`];
}

const nameOf = ({ apiVersion, kind, metadata }: KubeObject): string =>
  `${groupOf(apiVersion)} ${kind} ${keyFrom(metadata.namespace, metadata.name)}`;
const nameOfTarget = ({ resource, key }: Target): string => `${resource.group} ${resource.kind} ${key}`;
function nameOfInvolved({ involvedObject }: Event): string {
  const { apiVersion = 'v1', kind = '', namespace, name = '' } = involvedObject;
  return `${groupOf(apiVersion)} ${kind} ${keyFrom(namespace, name)}`;
}
const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
