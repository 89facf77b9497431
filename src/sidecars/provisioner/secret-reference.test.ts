import { expect, test } from 'vitest';
import type { StringMap } from '../../csi/driver.ts';
import { aClaim } from '../../volume/makers.ts';
import { expandTemplate } from './expand-template.ts';
import { type SecretKind, secretReference } from './secret-reference.ts';

const P = 'csi.storage.k8s.io/';
const claim = aClaim({ name: 'data', namespace: 'shop', annotations: { 'team.test/secret': 'gold' } });
const lookup = (parameters: StringMap, kind: SecretKind = 'provisioner') => {
  const found = secretReference(kind, parameters, { pvName: 'pvc-1', claim });
  if (found.type === 'reference') return `${found.reference.namespace}/${found.reference.name}`;
  return found.type === 'none' ? 'none' : found.message;
};
const own = (name: string, namespace: string) => ({
  [`${P}provisioner-secret-name`]: name,
  [`${P}provisioner-secret-namespace`]: namespace,
});

const FROM = 'failed to get name and namespace template from params: ';
test.each<[string, StringMap, string]>([
  ['nothing named -> none', {}, 'none'],
  ['plain names', own('a', 'ns'), 'ns/a'],
  ['fallback for all kinds', { [`${P}secret-name`]: 'b', [`${P}secret-namespace`]: 'ns' }, 'ns/b'],
  ['own before fallback', { ...own('a', 'ns'), [`${P}secret-name`]: 'b', [`${P}secret-namespace`]: 'ns' }, 'ns/a'],
  ['old keys', { csiProvisionerSecretName: 'a', csiProvisionerSecretNamespace: 'ns' }, 'ns/a'],
  ['tokens of the volume and claim', own('${pvc.name}-${pv.name}', '${pvc.namespace}'), 'shop/data-pvc-1'],
  ['an annotation in the name', own("${pvc.annotations['team.test/secret']}", 'ns'), 'ns/gold'],
  [
    'name without namespace',
    { [`${P}provisioner-secret-name`]: 'a' },
    `${FROM}either name and namespace for Provisioner secrets specified, Both must be specified`,
  ],
  [
    'empty name',
    own('', 'ns'),
    `${FROM}Provisioner secrets specified in parameters but value of either namespace or name is empty`,
  ],
  [
    'old and new keys',
    { ...own('a', 'ns'), csiProvisionerSecretName: 'a' },
    `${FROM}Provisioner secrets specified in parameters with both "csi" and "${P}" keys`,
  ],
  [
    'fallback half named',
    { [`${P}secret-name`]: 'b' },
    'failed to get default name and namespace template from params: either name and namespace for Default secrets specified, Both must be specified',
  ],
  [
    'a token the claim controls, in the namespace',
    own('a', '${pvc.name}'),
    'error resolving value "${pvc.name}": invalid tokens: ["pvc.name"]',
  ],
  ['unknown tokens', own('${b}${a}', 'ns'), 'error resolving value "${b}${a}": invalid tokens: ["a" "b"]'],
  ['no valid namespace', own('a', 'No'), '"No" is not a valid namespace name'],
  [
    'no valid name after resolving',
    own('${pvc.name}_', 'ns'),
    '"${pvc.name}_" resolved to "data_" which is not a valid secret name',
  ],
])('P-PROV-9 secretReference: %s', (_name, parameters, expected) => {
  expect(lookup(parameters)).toBe(expected);
});

test('P-PROV-9 each kind has its own keys', () => {
  const parameters = { [`${P}node-stage-secret-name`]: 's', [`${P}node-stage-secret-namespace`]: 'ns' };
  expect(lookup(parameters, 'node-stage')).toBe('ns/s');
  expect(lookup(parameters, 'node-publish')).toBe('none');
  expect(lookup({ csiNodeExpandSecretName: 'x', csiNodeExpandSecretNamespace: 'ns' }, 'node-expand')).toBe('none');
});

test.each([
  ['${a}-$a', 'x-x'],
  ['cost $', 'cost $'],
  ['$ a', '$ a'],
  ['${}b', 'b'],
  ['${a', 'a'],
  ['$a.b', 'x.b'],
])('expandTemplate: %s -> %s', (template, text) => {
  expect(expandTemplate(template, { a: 'x' })).toEqual({ text, missing: [] });
});

test('expandTemplate: `$1` and `$$` are names of one character', () => {
  expect(expandTemplate('$1$$x', {}).missing).toEqual(['$', '1']);
});
