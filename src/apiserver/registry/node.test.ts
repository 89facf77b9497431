import { describe, expect, it } from 'vitest';
import { decoded, told, toldOfChange, toldOfNew } from './makers.ts';
import { nodeStrategy as strategy } from './node.ts';

const node = (spec: object = {}, status: object = {}) => ({ spec, status });
const taint = (fields: object = {}) => ({ key: 'example.com/x', effect: 'NoSchedule', ...fields });

describe('Node', () => {
  it('P-REG-23 a kubelet registers with a status -> it is kept, allocatable filled from capacity', () => {
    expect(strategy.keepsStatusAtCreate).toBe(true);
    expect(decoded(strategy, node({}, { capacity: { cpu: '4' } })).status.allocatable).toEqual({ cpu: '4' });
  });

  it.each<[string, object, object]>([
    [
      'the list alone -> the first is the old field',
      { podCIDRs: ['10.0.0.0/24'] },
      { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
    ],
    [
      'the old field alone -> the list',
      { podCIDR: '10.0.0.0/24' },
      { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] },
    ],
  ])('P-REG-23 address ranges, %s', (_situation, spec, expected) => {
    expect(decoded(strategy, node(spec)).spec).toEqual(expected);
  });

  it.each<[string, object, readonly string[]]>([
    [
      'taint without effect -> required, under the metadata',
      node({ taints: [taint({ effect: '' })] }),
      ['metadata.taints[0].effect: Required value'],
    ],
    [
      'unknown effect -> unsupported',
      node({ taints: [taint({ effect: 'Never' })] }),
      [
        'metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      ],
    ],
    [
      'one key and effect twice -> duplicate',
      node({ taints: [taint(), taint({ value: 'v' })] }),
      [
        'metadata.taints[1]: Duplicate value: {"Key":"example.com/x","Value":"v","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      ],
    ],
    ['a block for each family -> fine', node({ podCIDRs: ['10.0.0.0/24', 'fd00::/64'] }), []],
    [
      'two blocks of one family -> one too many',
      node({ podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'] }),
      [
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","10.0.1.0/24"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    [
      'a block that is none -> told of it, and of the pair',
      node({ podCIDRs: ['10.0.0.0/24', 'x'] }),
      [
        'spec.podCIDRs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
        'spec.podCIDRs: Internal error: invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[1]: <nil> (invalid CIDR address: x)',
        'spec.podCIDRs: Invalid value: ["10.0.0.0/24","x"]: may specify no more than one CIDR for each IP family',
      ],
    ],
    ...(
      [
        ['010.0.0.0/24', 'must not have leading 0s in IP or prefix length'],
        ['10.0.0.5/24', 'must not have bits set beyond the prefix length'],
        ['::ffff:10.0.0.0/120', 'must not have an IPv4-mapped IPv6 address'],
      ] as const
    ).map(([block, rule]): [string, object, readonly string[]] => [
      `${block} -> ${rule}`,
      node({ podCIDRs: [block] }),
      [`spec.podCIDRs[0]: Invalid value: "${block}": ${rule}`],
    ]),
    ['one key, two effects -> fine', node({ taints: [taint(), taint({ effect: 'NoExecute' })] }), []],
    [
      'half a pod -> must be whole',
      node({}, { capacity: { pods: '500m' }, allocatable: {} }),
      [
        'status.capacity.pods: Invalid value: "500m": must be an integer',
        'status.allocatable.pods: Invalid value: "500m": must be an integer',
      ],
    ],
  ])('P-REG-2 %s', (_situation, typed, expected) => {
    expect(toldOfNew(strategy, typed)).toEqual(expected);
  });

  it.each<[string, object, object, readonly string[]]>([
    ['provider id from empty -> fine', node(), node({ providerID: 'p' }), []],
    [
      'provider id changed -> refused',
      node({ providerID: 'p' }),
      node({ providerID: 'q' }),
      ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
    ],
    [
      'address range changed -> refused',
      node({ podCIDRs: ['10.0.0.0/24'] }),
      node({ podCIDRs: ['10.0.1.0/24'] }),
      ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
    ],
    ['cordoned and tainted -> fine', node(), node({ unschedulable: true, taints: [taint()] }), []],
  ])('P-REG-23 %s', (_situation, before, after, expected) => {
    expect(toldOfChange(strategy, before, after)).toEqual(expected);
  });

  it('P-REG-23 one address twice in the status -> duplicate', () => {
    const address = { type: 'InternalIP', address: '10.0.0.1' };
    const sent = decoded(strategy, node({}, { addresses: [address, address] }));
    expect(told(strategy.validateStatusUpdate?.(sent, decoded(strategy, node())) ?? [])).toEqual([
      'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
    ]);
  });
});
