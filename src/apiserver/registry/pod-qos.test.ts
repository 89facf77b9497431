import { describe, expect, it } from 'vitest';
import { decoded } from './makers.ts';
import { qosClassOf } from './pod-qos.ts';
import { podStrategy } from './pod.ts';

const FULL = { limits: { cpu: '1', memory: '1Gi' } };
const classOf = (containers: readonly object[], spec: object = {}) =>
  qosClassOf(
    decoded(podStrategy, {
      spec: { containers: containers.map((resources, i) => ({ name: `c${i}`, image: 'x:1', resources })), ...spec },
    }).spec,
  );

describe('qosClassOf', () => {
  it.each<[string, readonly object[], object, string]>([
    ['nothing asked -> BestEffort', [{}, {}], {}, 'BestEffort'],
    ['only zeros asked -> BestEffort', [{ requests: { cpu: '0' } }], {}, 'BestEffort'],
    ['only ephemeral storage asked -> BestEffort', [{ requests: { 'ephemeral-storage': '1Gi' } }], {}, 'BestEffort'],
    ['all limits, requests equal -> Guaranteed', [FULL, FULL], {}, 'Guaranteed'],
    [
      'equal amounts typed differently -> Guaranteed',
      [{ ...FULL, requests: { cpu: '1000m', memory: '1024Mi' } }],
      {},
      'Guaranteed',
    ],
    ['one container without limits -> Burstable', [FULL, {}], {}, 'Burstable'],
    ['requests below limits -> Burstable', [{ ...FULL, requests: { cpu: '500m' } }], {}, 'Burstable'],
    ['only cpu limited -> Burstable', [{ limits: { cpu: '1' } }], {}, 'Burstable'],
    [
      'init container without limits -> Burstable',
      [FULL],
      { initContainers: [{ name: 'i', image: 'x:1' }] },
      'Burstable',
    ],
    [
      'the pod as a whole is limited -> Guaranteed',
      [{}],
      { resources: { ...FULL, requests: FULL.limits } },
      'Guaranteed',
    ],
  ])('P-REG-21 %s', (_situation, containers, spec, expected) => {
    expect(classOf(containers, spec)).toBe(expected);
  });
});
