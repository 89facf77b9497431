import { describe, expect, it } from 'vitest';
import { aClaimTemplate, aMember, aStatefulSet } from '../../../test/workloads/makers.ts';
import {
  claimsOf,
  hasClaimName,
  hasIdentity,
  hasMemberName,
  hasStorage,
  newPod,
  ordinalOf,
  withStorage,
} from './pod-identity.ts';
import { profileOf } from './profile.ts';

const profile = profileOf();
const set = aStatefulSet({ volumeClaimTemplates: [aClaimTemplate('data'), aClaimTemplate('log')] });
const claim = (name: string, claimName: string) => ({ name, persistentVolumeClaim: { claimName } });

describe('ordinalOf', () => {
  it.each([
    ['web-0', 0],
    ['web-12', 12],
    ['my-web-3', 3],
    ['web', -1],
    ['web-', -1],
    ['web-x', -1],
    ['web-2147483647', 2147483647],
    ['web-2147483648', -1],
  ])('%s -> %d', (name, ordinal) => {
    expect(ordinalOf(name)).toBe(ordinal);
  });

  it('name of another set -> no member', () => {
    expect(hasMemberName(set, aMember('my-web-3'))).toBe(false);
    expect(hasMemberName(set, aMember('web-3'))).toBe(true);
  });
});

describe('newPod', () => {
  const revision = { name: 'web-5d4cbbdc74', template: set.spec.template };

  it('a member -> its name, labels, host name, claims and controller', () => {
    const { metadata, spec } = newPod(set, 1, revision, profile);
    expect(metadata).toEqual({
      name: 'web-1',
      generateName: 'web-',
      namespace: 'default',
      labels: {
        app: 'web',
        'statefulset.kubernetes.io/pod-name': 'web-1',
        'apps.kubernetes.io/pod-index': '1',
        'controller-revision-hash': 'web-5d4cbbdc74',
      },
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'StatefulSet',
          name: 'web',
          uid: 'uid-of-web',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    });
    expect(spec?.hostname).toBe('web-1');
    expect(spec?.subdomain).toBe('web');
    expect(spec?.volumes).toEqual([claim('data', 'data-web-1'), claim('log', 'log-web-1')]);
  });

  it('no service, no claims, before 1.28 -> no subdomain, no volumes, no index', () => {
    const bare = aStatefulSet({ serviceName: '' });
    const pod = newPod(bare, 0, revision, profileOf('1.27'));
    expect(pod.spec).not.toHaveProperty('subdomain');
    expect(pod.spec).not.toHaveProperty('volumes');
    expect(pod.metadata.labels).not.toHaveProperty(['apps.kubernetes.io/pod-index']);
  });

  it('template with finalizers and annotations -> the pod has them', () => {
    const metadata = { labels: { app: 'web' }, annotations: { note: 'x' }, finalizers: ['example.com/hold'] };
    const pod = newPod(set, 0, { name: 'r', template: { ...set.spec.template, metadata } }, profile);
    expect(pod.metadata).toMatchObject({ annotations: { note: 'x' }, finalizers: ['example.com/hold'] });
  });

  it('a volume of a claim template’s name -> the claim takes its place, others stay', () => {
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ];
    expect(withStorage(set, 0, volumes)).toEqual([claim('data', 'data-web-0'), claim('log', 'log-web-0'), volumes[1]]);
  });
});

describe('claimsOf', () => {
  it('P-STS-4 a member’s claims -> named after template, set and ordinal, labelled by the selector over the template', () => {
    const labelled = {
      ...aClaimTemplate('data'),
      metadata: { ...aClaimTemplate('data').metadata, labels: { app: 'x', tier: 'db' } },
    };
    const [first, ...others] = claimsOf(aStatefulSet({ volumeClaimTemplates: [labelled] }), 2);
    expect(others).toEqual([]);
    expect(first?.metadata).toEqual({ name: 'data-web-2', namespace: 'default', labels: { app: 'web', tier: 'db' } });
    expect(first?.spec).toEqual(labelled.spec);
  });

  it.each([
    ['data-web-0', true],
    ['log-web-7', true],
    ['other-web-0', false],
    ['data-web', false],
    ['data-my-web-0', false],
  ])('%s is a claim of the set -> %s', (name, expected) => {
    expect(hasClaimName(set, name)).toBe(expected);
  });
});

describe('hasIdentity, hasStorage', () => {
  const named = { 'statefulset.kubernetes.io/pod-name': 'web-0' };
  const volumes = [claim('data', 'data-web-0'), claim('log', 'log-web-0')];

  it.each([
    ['as it was made              -> both', 'web-0', named, volumes, [true, true]],
    [
      'label of another            -> no identity',
      'web-0',
      { 'statefulset.kubernetes.io/pod-name': 'web-1' },
      volumes,
      [false, true],
    ],
    ['no label                    -> no identity', 'web-0', {}, volumes, [false, true]],
    [
      'ordinal with a leading zero -> no identity',
      'web-00',
      { 'statefulset.kubernetes.io/pod-name': 'web-00' },
      volumes,
      [false, true],
    ],
    ['a volume missing            -> no storage', 'web-0', named, volumes.slice(0, 1), [true, false]],
    [
      'claim of another            -> no storage',
      'web-0',
      named,
      [claim('data', 'data-web-1'), claim('log', 'log-web-0')],
      [true, false],
    ],
    [
      'not a claim                 -> no storage',
      'web-0',
      named,
      [{ name: 'data', emptyDir: {} }, claim('log', 'log-web-0')],
      [true, false],
    ],
  ])('%s', (_situation, name, labels, podVolumes, expected) => {
    const pod = aMember(name, { labels, spec: { volumes: podVolumes } });
    expect([hasIdentity(set, pod), hasStorage(set, pod)]).toEqual(expected);
  });
});
