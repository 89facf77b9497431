// The `fault` of a step, read against the cast of the story: nodes, components and drivers that it can be about.
import { unreachable } from '../../base/assert.ts';
import type { Cast } from '../cast.ts';
import { optional, readOneOf } from '../section-fields.ts';
import { type YamlValue, nearest } from '../yaml-reader.ts';
import { CALLS, CODES, FIELDS, REASONS, TYPES } from './fault-fields.ts';
import type { Fault, FaultType } from './fault.ts';

export function readFault(value: YamlValue, cast: Cast): Fault {
  const typeValue = value.entries('a fault').get('type') ?? value.fail(`a fault needs a type: ${TYPES.join(', ')}`);
  const word = typeValue.text('type');
  const type = TYPES.find((each) => each === word) ?? typeValue.fail(`unknown fault "${word}"${nearest(word, TYPES)}`);
  const fields = value.fields(['type', ...FIELDS[type]], `a ${type} fault`);
  const need = (key: string): YamlValue => fields.get(key) ?? value.fail(`a ${type} fault needs "${key}"`);
  return new FaultReader(fields, need, cast).read(type);
}

class FaultReader {
  readonly #fields: ReadonlyMap<string, YamlValue>;
  readonly #need: (key: string) => YamlValue;
  readonly #cast: Cast;

  constructor(fields: ReadonlyMap<string, YamlValue>, need: (key: string) => YamlValue, cast: Cast) {
    this.#fields = fields;
    this.#need = need;
    this.#cast = cast;
  }

  read(type: FaultType): Fault {
    switch (type) {
      case 'node-crash':
      case 'node-freeze':
      case 'node-return':
      case 'kubelet-restart':
      case 'disk-full':
      case 'device-busy':
        return { type, node: this.#node() };
      case 'partition':
        return { type, node: this.#node(), from: readOneOf(this.#need('from'), ['api', 'storage', 'both']) };
      case 'clock-step':
        return { type, node: this.#node(), byMs: this.#need('by').durationMs('by', { signed: true }) };
      case 'csi':
        return {
          type,
          ...this.#call(),
          code: readOneOf(this.#need('code'), CODES),
          probability: this.#probability(),
          afterEffect: this.#afterEffect(),
        };
      case 'csi-hang':
        return { type, ...this.#call() };
      case 'csi-slow':
        return { type, ...this.#call(), byMs: this.#need('by').durationMs('by') };
      case 'api-error':
        return {
          type,
          actor: this.#component('actor'),
          reason: readOneOf(this.#need('reason'), REASONS),
          probability: this.#probability(),
          afterEffect: this.#afterEffect(),
        };
      case 'api-latency':
        return { type, actor: this.#component('actor'), byMs: this.#need('by').durationMs('by') };
      case 'stale-reads':
      case 'watch-drop':
        return { type, actor: this.#component('actor') };
      case 'component-restart':
      case 'component-crash':
      case 'component-freeze':
        return { type, component: this.#component('component') };
      case 'leader-change':
        return { type, program: readOneOf(this.#need('program'), this.#cast.programs) };
      default:
        return unreachable(type);
    }
  }

  #node(): string {
    return readNameOf(this.#need('node'), 'node', this.#cast.nodes);
  }

  #component(key: 'actor' | 'component'): string {
    return readNameOf(this.#need(key), 'component', this.#cast.components);
  }

  #call(): { readonly call: string; readonly driver?: string } {
    const driver = this.#fields.get('driver');
    return {
      call: readOneOf(this.#need('call'), CALLS),
      ...optional('driver', driver === undefined ? undefined : readNameOf(driver, 'driver', this.#cast.drivers)),
    };
  }

  #afterEffect(): boolean {
    return this.#fields.get('afterEffect')?.bool('afterEffect') ?? false;
  }

  #probability(): number {
    const value = this.#fields.get('probability');
    const given = value?.number('probability') ?? 1;
    return given >= 0 && given <= 1 ? given : (value?.fail('probability must be between 0 and 1') ?? 1);
  }
}

/** A name that the story's cluster has. */
function readNameOf(value: YamlValue, what: string, known: readonly string[]): string {
  const word = value.word(what);
  return known.includes(word) ? word : value.fail(`the cluster has no ${what} "${word}"${nearest(word, known)}`);
}
