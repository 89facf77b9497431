import { describe, expect, test } from 'vitest';
import { Settings, faultOfSetting } from './settings.ts';

describe('settings', () => {
  test("what is absent -> has upstream's default", () => {
    const settings = new Settings({});
    expect(settings.durationMs('kube-controller-manager', 'pvclaimbinder-sync-period')).toBe(15_000);
    expect(settings.limits('kube-controller-manager')).toEqual({ qps: 20, burst: 30 });
    expect(settings.limits('kube-controller-manager', 'namespace-controller')).toEqual({ qps: 400, burst: 3000 });
  });

  test('a name that one program has -> may stand alone', () => {
    expect(
      new Settings({ 'pvclaimbinder-sync-period': '1m' }).durationMs(
        'kube-controller-manager',
        'pvclaimbinder-sync-period',
      ),
    ).toBe(60_000);
  });

  test('a name of several programs -> takes the program in front', () => {
    const settings = new Settings({ 'csi-provisioner.kube-api-qps': -1 });
    expect(settings.limits('csi-provisioner')).toBeUndefined();
    expect(settings.limits('kube-scheduler')).toEqual({ qps: 50, burst: 100 });
  });

  test.each([
    [
      'pvclaimbinder-sync-perio',
      '10s',
      /^unknown setting "pvclaimbinder-sync-perio", did you mean "pvclaimbinder-sync-period"\?$/,
    ],
    ['kube-api-qps', 5, /belongs to several programs: write kube-controller-manager.kube-api-qps or/],
    ['csi-provisioner.timeout', 'soon', /needs a duration/],
    ['csi-provisioner.worker-threads', 'many', /needs a number/],
    ['strict-topology', 'yes', /needs a boolean/],
  ])('P-WORLD-3 %s: %s -> refused with a sentence', (name, value, sentence) => {
    expect(faultOfSetting(name, value)).toMatch(sentence);
    expect(() => new Settings({ [name]: value })).toThrow(sentence);
  });
});
