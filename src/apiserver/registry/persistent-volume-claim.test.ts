import { describe, expect, it } from 'vitest';
import { decoded, told, toldOfChange, toldOfNew } from './makers.ts';
import { persistentVolumeClaimStrategy as strategy } from './persistent-volume-claim.ts';

const BETA = 'volume.beta.kubernetes.io/storage-class';
const IMMUTABLE =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

const claim = (spec: object = {}, rest: object = {}) => ({
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  ...rest,
});
const bound = (spec: object = {}, status: object = {}) =>
  claim({ volumeName: 'pv', ...spec }, { status: { phase: 'Bound', capacity: { storage: '1Gi' }, ...status } });
const sized = (storage: string) => ({ resources: { requests: { storage } } });
const annotated = (value: string) => ({ metadata: { name: 'a', annotations: { [BETA]: value } } });

describe('a new claim', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'no access mode -> required',
      { accessModes: [] },
      ['spec.accessModes: Required value: at least 1 access mode is required'],
    ],
    [
      'ReadWriteOncePod with another mode -> forbidden',
      { accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] },
      ['spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes'],
    ],
    ['ReadWriteOncePod alone -> fine', { accessModes: ['ReadWriteOncePod'] }, []],
    [
      'unknown mode -> the known ones are told',
      { accessModes: ['Anything'] },
      [
        'spec.accessModes: Unsupported value: "Anything": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      ],
    ],
    ['no size -> required', { resources: {} }, ['spec.resources[storage]: Required value']],
    ['size zero -> invalid', sized('0'), ['spec.resources[storage]: Invalid value: "0": must be greater than zero']],
    [
      'negative size -> invalid',
      sized('-1Gi'),
      ['spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero'],
    ],
    [
      'unknown volume mode -> unsupported',
      { volumeMode: 'Tape' },
      ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
    ],
    [
      'selector with an unknown operator -> invalid',
      { selector: { matchExpressions: [{ key: 'a', operator: 'Near', values: ['x'] }] } },
      ['spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator'],
    ],
    [
      'data source of another kind without a group -> invalid',
      { dataSourceRef: { kind: 'Thing', name: 'x' } },
      [
        'spec.dataSourceRef: Invalid value: "Thing": must be \'PersistentVolumeClaim\' when referencing the default apiGroup',
      ],
    ],
  ])('P-REG-2 %s', (_situation, spec, expected) => {
    expect(toldOfNew(strategy, claim(spec))).toEqual(expected);
  });

  it('P-REG-3 two data sources that differ -> must match', () => {
    const spec = {
      dataSource: { kind: 'PersistentVolumeClaim', name: 'x' },
      dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'y' },
    };
    expect(toldOfNew(strategy, claim(spec))).toEqual(['spec: Invalid value: {}: must match dataSourceRef']);
  });

  it('P-REG-4 defaults -> Filesystem and Pending, whatever status was sent', () => {
    const made = strategy.prepareForCreate?.(decoded(strategy, claim({}, { status: { phase: 'Bound' } })), { now: 0 });
    expect(made).toMatchObject({ spec: { volumeMode: 'Filesystem' }, status: { phase: 'Pending' } });
  });

  it.each<[string, object, object]>([
    [
      'a claim as source -> in both fields',
      { dataSource: { kind: 'PersistentVolumeClaim', name: 'x' } },
      {
        dataSource: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'x' },
        dataSourceRef: { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'x' },
      },
    ],
    [
      'a populator as dataSourceRef -> in both fields',
      { dataSourceRef: { apiGroup: 'pop.example.com', kind: 'Thing', name: 'x' } },
      { dataSource: { apiGroup: 'pop.example.com', kind: 'Thing', name: 'x' } },
    ],
  ])('P-REG-3 %s', (_situation, spec, expected) => {
    expect(strategy.prepareForCreate?.(decoded(strategy, claim(spec)), { now: 0 }).spec).toMatchObject(expected);
  });

  it.each<[string, object]>([
    [
      'a populator as dataSource alone -> dropped, as ever',
      { dataSource: { apiGroup: 'pop.example.com', kind: 'Thing', name: 'x' } },
    ],
    [
      'a source in another namespace -> dropped, its gate is off',
      { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'x', namespace: 'far' } },
    ],
  ])('P-REG-3 %s', (_situation, given) => {
    const { spec } = strategy.prepareForCreate?.(decoded(strategy, claim(given)), { now: 0 }) ?? {};
    expect(spec).not.toHaveProperty('dataSource');
    expect(spec).not.toHaveProperty('dataSourceRef');
  });

  it('P-REG-5 a fraction of a byte and the old annotation -> two warnings', () => {
    expect(strategy.warnings?.(decoded(strategy, claim(sized('1500m'), annotated('x'))), undefined)).toEqual([
      `metadata.annotations[${BETA}]: deprecated since v1.8; use "storageClassName" attribute instead`,
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ]);
  });
});

describe('a change of a claim', () => {
  it.each<[string, object, object, readonly string[]]>([
    ['other access mode -> immutable', claim(), claim({ accessModes: ['ReadWriteMany'] }), [IMMUTABLE]],
    ['volume name from empty -> fine', claim(), claim({ volumeName: 'pv' }), []],
    [
      'volume name a second time -> immutable',
      claim({ volumeName: 'pv' }),
      claim({ volumeName: 'other' }),
      [IMMUTABLE],
    ],
    ['volume name taken away -> immutable', bound(), bound({ volumeName: '' }), [IMMUTABLE]],
    ['class from unset -> fine', claim(), claim({ storageClassName: 'x' }), []],
    ['class from unset to empty -> fine', claim(), claim({ storageClassName: '' }), []],
    ['class from empty -> immutable', claim({ storageClassName: '' }), claim({ storageClassName: 'x' }), [IMMUTABLE]],
    ['class to unset -> immutable', claim({ storageClassName: 'x' }), claim(), [IMMUTABLE]],
    ['unbound claim grows -> immutable', claim(), claim(sized('2Gi')), [IMMUTABLE]],
    ['bound claim grows -> fine', bound(), bound(sized('2Gi')), []],
    [
      'bound claim, limits -> immutable',
      bound(),
      bound({ resources: { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } } }),
      [IMMUTABLE],
    ],
    [
      'bound claim shrinks to its capacity -> refused',
      bound(sized('2Gi')),
      bound(sized('1Gi')),
      ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
    ],
    ['bound claim shrinks, still above its capacity -> fine', bound(sized('5Gi')), bound(sized('2Gi')), []],
    [
      'volume mode -> immutable twice over',
      claim(),
      claim({ volumeMode: 'Block' }),
      [IMMUTABLE, 'volumeMode: Invalid value: "Block": field is immutable'],
    ],
    [
      'attributes class of an unbound claim -> immutable',
      claim(),
      claim({ volumeAttributesClassName: 'fast' }),
      [IMMUTABLE],
    ],
    ['attributes class of a bound claim -> fine', bound(), bound({ volumeAttributesClassName: 'fast' }), []],
    ['attributes class not yet applied, removed -> fine', bound({ volumeAttributesClassName: 'fast' }), bound(), []],
    [
      'attributes class applied, removed -> refused',
      bound({ volumeAttributesClassName: 'fast' }, { currentVolumeAttributesClassName: 'fast' }),
      bound(),
      [
        'spec.volumeAttributesClassName: Forbidden: update to nil is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
    ],
    [
      'attributes class applied, emptied -> refused',
      bound({ volumeAttributesClassName: 'fast' }, { currentVolumeAttributesClassName: 'fast' }),
      bound({ volumeAttributesClassName: '' }),
      [
        'spec.volumeAttributesClassName: Forbidden: update to empty string is forbidden when status.currentVolumeAttributesClassName is not nil',
      ],
    ],
    ['annotation to field, same class -> fine', claim({}, annotated('x')), claim({ storageClassName: 'x' }), []],
    [
      'annotation to field, other class -> immutable',
      claim({}, annotated('x')),
      claim({ storageClassName: 'y' }, annotated('x')),
      [IMMUTABLE],
    ],
    [
      'annotation changed -> immutable',
      claim({}, annotated('x')),
      claim({}, annotated('y')),
      [`metadata.annotations[${BETA}]: Invalid value: "y": field is immutable`],
    ],
  ])('P-REG-6 %s', (_situation, before, after, expected) => {
    expect(toldOfChange(strategy, before, after)).toEqual(expected);
  });

  it('P-REG-6 the sentence about an immutable spec -> ends with the fields that differ', () => {
    const old = decoded(strategy, claim());
    const [fault] = strategy.validateUpdate?.(decoded(strategy, claim({ accessModes: ['ReadWriteMany'] })), old) ?? [];
    expect(fault?.text.split('\n').slice(1)).toEqual([
      '- accessModes: ["ReadWriteOnce"]',
      '+ accessModes: ["ReadWriteMany"]',
    ]);
  });

  it('P-REG-4 status in an update of the object -> the stored one stays', () => {
    const old = decoded(strategy, bound());
    expect(strategy.prepareForUpdate?.(decoded(strategy, claim()), old, { now: 0 }).status).toBe(old.status);
  });
});

describe("a change of a claim's status", () => {
  const toldOfStatus = (status: object) => {
    const old = decoded(strategy, bound());
    return told(strategy.validateStatusUpdate?.(decoded(strategy, bound({}, status)), old) ?? []);
  };
  it.each<[string, object, readonly string[]]>([
    [
      'expansion under way -> fine',
      { allocatedResources: { storage: '2Gi' }, allocatedResourceStatuses: { storage: 'NodeResizePending' } },
      [],
    ],
    [
      'unknown resize status -> the resource is told, not the status',
      { allocatedResourceStatuses: { storage: 'Nonsense' } },
      [
        'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      ],
    ],
    [
      'a resource that claims do not have -> unsupported',
      { allocatedResources: { cpu: '1' } },
      ['status.allocatedResources: Unsupported value: "cpu": supported values: "storage"'],
    ],
    ['a resource of another domain -> fine', { allocatedResources: { 'example.com/iops': '5' } }, []],
    [
      'negative capacity -> invalid',
      { capacity: { storage: '-1' } },
      ['status.capacity[storage]: Invalid value: -1: must be a valid resource quantity'],
    ],
  ])('P-REG-7 %s', (_situation, status, expected) => {
    expect(toldOfStatus(status)).toEqual(expected);
  });

  it('P-REG-4 spec in a write to the status -> the stored one stays', () => {
    const old = decoded(strategy, bound());
    const now = decoded(strategy, claim({ accessModes: ['ReadWriteMany'] }));
    expect(strategy.prepareForStatusUpdate?.(now, old, { now: 0 }).spec).toBe(old.spec);
  });
});
