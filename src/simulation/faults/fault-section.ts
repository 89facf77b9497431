// The `fault` of a step.
import type { CsiCode } from '../../csi/driver.ts';
import type { ApiReason } from '../../kube/api-error.ts';
import { optional } from '../cluster-section.ts';
import { type YamlValue, nearest } from '../yaml-reader.ts';
import type { Fault } from './fault.ts';

const FIELDS: Readonly<Record<Fault['type'], readonly string[]>> = {
  csi: ['driver', 'call', 'code', 'probability', 'afterEffect'],
  'csi-hang': ['driver', 'call'],
  'csi-slow': ['driver', 'call', 'by'],
  'api-error': ['actor', 'reason', 'probability'],
  'watch-drop': ['actor'],
  'component-restart': ['component'],
};
const CODES: readonly CsiCode[] = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
const REASONS: readonly ApiReason[] = ['Conflict', 'TooManyRequests', 'InternalError', 'ServiceUnavailable', 'ServerTimeout', 'Timeout', 'Forbidden'];

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
  'NodeStageVolume',
  'NodeUnstageVolume',
  'NodePublishVolume',
  'NodeUnpublishVolume',
  'NodeExpandVolume',
  'NodeGetVolumeStats',
];

export function readFault(value: YamlValue): Fault {
  const types = Object.keys(FIELDS) as Fault['type'][];
  const typeValue = value.entries('a fault').get('type') ?? value.fail(`a fault needs a type: ${types.join(', ')}`);
  const word = typeValue.text('type');
  const type = types.find((each) => each === word) ?? typeValue.fail(`unknown fault "${word}"${nearest(word, types)}`);
  const fields = value.fields(['type', ...FIELDS[type]], `a ${type} fault`);
  const need = (key: string): YamlValue => fields.get(key) ?? value.fail(`a ${type} fault needs "${key}"`);
  const probability = (): number => readProbability(fields.get('probability'));
  const at = (): { readonly call: string; readonly driver?: string } => ({
    call: readCall(need('call')),
    ...optional('driver', fields.get('driver')?.text('driver')),
  });
  switch (type) {
    case 'csi':
      return { type, ...at(), code: readOneOf(need('code'), CODES), probability: probability(), afterEffect: fields.get('afterEffect')?.bool('afterEffect') ?? false };
    case 'csi-hang':
      return { type, ...at() };
    case 'csi-slow':
      return { type, ...at(), byMs: need('by').durationMs('by') };
    case 'api-error':
      return { type, actor: need('actor').text('actor'), reason: readOneOf(need('reason'), REASONS), probability: probability() };
    case 'watch-drop':
      return { type, actor: need('actor').text('actor') };
    default:
      return { type: 'component-restart', component: need('component').text('component') };
  }
}

function readProbability(value: YamlValue | undefined): number {
  const given = value?.number('probability') ?? 1;
  return given >= 0 && given <= 1 ? given : (value?.fail('probability must be between 0 and 1') ?? 1);
}

function readOneOf<T extends string>(value: YamlValue, allowed: readonly T[]): T {
  const word = value.text('this');
  return allowed.find((each) => each === word) ?? value.fail(`"${word}" is not known${nearest(word, allowed)}`);
}

function readCall(value: YamlValue): string {
  return readOneOf(value, CALLS);
}
