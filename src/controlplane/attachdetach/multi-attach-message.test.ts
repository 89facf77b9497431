import { describe, expect, it } from 'vitest';
import { multiAttachMessage } from './multi-attach-message.ts';
import { profileOf } from './profile.ts';

const pod = (key: string) => {
  const [namespace = '', name = ''] = key.split('/');
  return { metadata: { namespace, name } };
};
const told = (version: string, holders: readonly string[]): string =>
  multiAttachMessage(
    'volume-name',
    { waiting: pod('ns1/pod1'), holders: holders.map(pod) },
    profileOf(version).multiAttach,
  );

describe('multiAttachMessage', () => {
  const detail: readonly (readonly [string, readonly string[], string])[] = [
    ['a pod of the namespace', ['ns1/pod2'], 'Volume is already used by pod(s) pod2'],
    ['two pods of the namespace', ['ns1/pod2', 'ns1/pod3'], 'Volume is already used by pod(s) pod2, pod3'],
    ['a pod elsewhere', ['ns2/pod2'], 'Volume is already used by 1 pod(s) in different namespaces'],
    [
      'one here and one elsewhere',
      ['ns2/pod2', 'ns1/pod3'],
      'Volume is already used by pod(s) pod3 and 1 pod(s) in different namespaces',
    ],
  ];
  it.each(detail)('AD-13 held by %s -> said in both wordings', (_name, holders, text) => {
    expect(told('1.37', holders)).toBe(`Waiting for detach for volume "volume-name" ${text}`);
    expect(told('1.36.3', holders)).toBe(`Multi-Attach error for volume "volume-name" ${text}`);
  });

  it('AD-13 held by nobody -> exclusively attached', () => {
    expect(told('1.37.0', [])).toBe(
      'Waiting for detach for volume "volume-name" Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node',
    );
    expect(told('1.36.3', [])).toBe(
      'Multi-Attach error for volume "volume-name" Volume is already exclusively attached to one node and can\'t be attached to another',
    );
  });
});
