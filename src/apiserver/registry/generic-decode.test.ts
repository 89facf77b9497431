import { describe, expect, it } from 'vitest';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import type { Call, FieldValidation, TextFault } from './generic-call.ts';
import { decodeObject, judgeAppliedText } from './generic-decode.ts';

const HEADING = 'yaml: unmarshal errors:\n  ';
const twice = (path: string, places?: ReadonlyMap<string, number>): TextFault => ({
  path,
  says: `duplicate field "${path}"`,
  ...(places === undefined ? {} : { places }),
});
const atLine = (line: number): TextFault => ({
  path: '',
  says: `line ${line}: key "a" already set in map`,
  heading: HEADING,
});

const callWith = (fieldValidation: FieldValidation, textFaults: readonly TextFault[]): Call => ({
  user: { name: 'jane', groups: [] },
  verb: 'create',
  subresource: undefined,
  dryRun: false,
  fieldValidation,
  fieldManager: undefined,
  textFaults,
  warnings: [],
});

const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', odd: 1 }, strange: 2 };

describe('P-REG-35 faults of a text', () => {
  it.each<readonly [string, readonly TextFault[], string]>([
    [
      'places known -> as they stand there',
      [twice('metadata.name', new Map(Object.entries({ 'metadata.odd': 3, 'metadata.name': 4, strange: 5 })))],
      'unknown field "metadata.odd", duplicate field "metadata.name", unknown field "strange"',
    ],
    [
      'places not known -> what stands twice first',
      [twice('metadata.name')],
      'duplicate field "metadata.name", unknown field "metadata.odd", unknown field "strange"',
    ],
    [
      'in YAML -> by line, below one heading',
      [atLine(3), atLine(7)],
      `${HEADING}line 3: key "a" already set in map\n  line 7: key "a" already set in map, unknown field "metadata.odd", unknown field "strange"`,
    ],
    [
      'below what is unknown -> told once',
      [twice('strange.deep')],
      'unknown field "metadata.odd", unknown field "strange"',
    ],
  ])('%s', (_what, faults, says) => {
    const decode = () => decodeObject(ConfigMaps, MAP, callWith('Strict', faults), () => true);
    expect(decode).toThrow(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${says}`,
    );
  });

  it('only warned of -> one warning each', () => {
    const call = callWith('Warn', [atLine(3)]);
    decodeObject(ConfigMaps, MAP, call, () => true);
    expect(call.warnings).toEqual([
      'line 3: key "a" already set in map',
      'unknown field "metadata.odd"',
      'unknown field "strange"',
    ]);
  });

  it('of an applied text -> refused, warned of or ignored', () => {
    expect(() => judgeAppliedText(callWith('Strict', [atLine(9)]))).toThrow(
      `error strict decoding YAML: error converting YAML to JSON: ${HEADING}line 9: key "a" already set in map`,
    );
    const [warned, ignored] = [callWith('Warn', [atLine(9)]), callWith('Ignore', [atLine(9)])];
    judgeAppliedText(warned);
    judgeAppliedText(ignored);
    expect([warned.warnings.length, ignored.warnings.length]).toEqual([1, 0]);
  });
});
