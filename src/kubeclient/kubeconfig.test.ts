import { describe, expect, test } from 'vitest';
import { chooseContext, execPluginOf, impersonationOf, mergeKubeconfigs } from './kubeconfig.ts';

const FIRST = `
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: a
  cluster: { server: 'https://a:6443', certificate-authority: ca.crt }
contexts:
- name: one
  context: { cluster: a, user: u, namespace: ns }
- name: lost
  context: { cluster: nowhere, user: u }
- name: nobody
  context: { cluster: a, user: nobody }
`;
const SECOND = `
current-context: two
clusters:
- name: a
  cluster: { server: 'https://other:6443' }
users:
- name: u
  user: { tokenFile: secrets/token, client-key: /abs/key, exec: { apiVersion: x, command: ./bin/login } }
contexts:
- name: two
  context: { cluster: a }
`;
const merged = mergeKubeconfigs([
  { path: '/first/config', text: FIRST },
  { path: '/second/config', text: SECOND },
]);

describe('kubeconfig', () => {
  test('P-KC-1 two files -> the first definition and the first current context count; paths start at their file', () => {
    expect(chooseContext(merged)).toEqual({
      context: 'one',
      namespace: 'ns',
      userName: 'u',
      cluster: { server: 'https://a:6443', 'certificate-authority': '/first/ca.crt' },
      user: {
        tokenFile: '/second/secrets/token',
        'client-key': '/abs/key',
        exec: { apiVersion: 'x', command: '/second/bin/login' },
      },
    });
  });

  test('P-KC-1 context by name -> that one; without user and namespace -> nobody, default', () => {
    expect(chooseContext(merged, 'two')).toMatchObject({ context: 'two', namespace: 'default', user: {} });
  });

  test.each([
    ['unknown context', () => chooseContext(merged, 'three'), 'the kubeconfig has no context "three"'],
    [
      'cluster that is not there',
      () => chooseContext(merged, 'lost'),
      'context "lost" names a cluster that is not there: nowhere',
    ],
    [
      'user that is not there',
      () => chooseContext(merged, 'nobody'),
      'context "nobody" names a user that is not there: nobody',
    ],
    [
      'no current context',
      () => chooseContext(mergeKubeconfigs([])),
      'no context is chosen: the kubeconfig has no current-context',
    ],
    ['no YAML', () => mergeKubeconfigs([{ path: '/f', text: '{' }]), '/f is no kubeconfig'],
    ['a list', () => mergeKubeconfigs([{ path: '/f', text: '[]' }]), '/f is no kubeconfig'],
    [
      'clusters that are no list',
      () => mergeKubeconfigs([{ path: '/f', text: 'clusters: x' }]),
      '/f: clusters is no list',
    ],
    [
      'old plug-in',
      () => execPluginOf({ exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } }),
      'exec plug-in x: apiVersion "client.authentication.k8s.io/v1alpha1" is not supported',
    ],
    [
      'plug-in without a command',
      () => execPluginOf({ exec: {} }),
      'the exec plug-in of the kubeconfig has no command',
    ],
    [
      'groups of nobody',
      () => impersonationOf({ 'as-groups': ['g'] }),
      'the kubeconfig impersonates groups without a user',
    ],
  ])('P-KC-2 %s -> told in one line', (_what, act, says) => {
    expect(act).toThrow(says);
    expect(act).not.toThrow('\n');
  });

  test('empty file -> nothing, not a fault', () => {
    expect(mergeKubeconfigs([{ path: '/f', text: '' }]).clusters.size).toBe(0);
  });

  test('impersonation -> its headers', () => {
    const user = { as: 'jane', 'as-uid': '7', 'as-groups': ['g1', 'g2'], 'as-user-extra': { 'a/b': ['x'] } };
    expect(impersonationOf(user)).toEqual([
      ['Impersonate-User', 'jane'],
      ['Impersonate-Uid', '7'],
      ['Impersonate-Group', 'g1'],
      ['Impersonate-Group', 'g2'],
      ['Impersonate-Extra-a%2Fb', 'x'],
    ]);
  });
});
