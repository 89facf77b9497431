// The `fault` of a step, read against the cast of the story: nodes, components and drivers that it can be about.
import { unreachable } from '../../base/assert.ts';
import { CSI_CODES } from '../../csi/csi-error.ts';
import type { ApiReason } from '../../kube/api-error.ts';
import type { Cast } from '../cast.ts';
import { optional } from '../cluster-section.ts';
import { type YamlValue, nearest } from '../yaml-reader.ts';
import type { Fault, FaultType } from './fault.ts';

const FIELDS: Readonly<Record<FaultType, readonly string[]>> = {
  'node-crash': ['node'],
  'node-freeze': ['node'],
  'node-return': ['node'],
  'kubelet-restart': ['node'],
  partition: ['node', 'from'],
  'clock-step': ['node', 'by'],
  'disk-full': ['node'],
  'device-busy': ['node'],
  csi: ['driver', 'call', 'code', 'probability', 'afterEffect'],
  'csi-hang': ['driver', 'call'],
  'csi-slow': ['driver', 'call', 'by'],
  'api-error': ['actor', 'reason', 'probability', 'afterEffect'],
  'api-latency': ['actor', 'by'],
  'stale-reads': ['actor'],
  'watch-drop': ['actor'],
  'component-restart': ['component'],
  'component-crash': ['component'],
  'component-freeze': ['component'],
  'leader-change': ['program'],
};
const TYPES: readonly FaultType[] = [
  'node-crash',
  'node-freeze',
  'node-return',
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
const CODES = CSI_CODES.filter((code) => code !== 'OK');
const REASONS: readonly ApiReason[] = [
  'Conflict',
  'TooManyRequests',
  'InternalError',
  'ServiceUnavailable',
  'ServerTimeout',
  'Timeout',
  'Forbidden',
];

/** The RPCs that can be disturbed, as upstream spells them. */
const CALLS: readonly string[] = [
  'CreateVolume',
  'DeleteVolume',
  'ControllerPublishVolume',
  'ControllerUnpublishVolume',
  'ControllerExpandVolume',
  'ControllerModifyVolume',
  'CreateSnapshot',
  'DeleteSnapshot',
  'GetCapacity',
  'ListVolumes',
  'NodeStageVolume',
  'NodeUnstageVolume',
  'NodePublishVolume',
  'NodeUnpublishVolume',
  'NodeExpandVolume',
  'NodeGetVolumeStats',
];

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

function readOneOf<T extends string>(value: YamlValue, allowed: readonly T[]): T {
  const word = value.text('this');
  return allowed.find((each) => each === word) ?? value.fail(`"${word}" is not known${nearest(word, allowed)}`);
}

/** A name that the story's cluster has. */
function readNameOf(value: YamlValue, what: string, known: readonly string[]): string {
  const word = value.word(what);
  return known.includes(word) ? word : value.fail(`the cluster has no ${what} "${word}"${nearest(word, known)}`);
}
