import { describe, expect, it } from 'vitest';
import { causeOf } from '../../kube/api-error.ts';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import { Namespaces } from '../../kube/resources/namespace.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { made, outcome, readerOf, requestOf } from './makers.ts';
import { namespaceLifecycle as plugin } from './namespace-lifecycle.ts';

const namespace = (phase: string) => made(Namespaces, { metadata: { name: 'n' }, status: { phase } });
const map = made(ConfigMaps, {});

describe('NamespaceLifecycle', () => {
  it('P-ADM-1 namespace is there -> the object goes on', () => {
    expect(outcome(plugin, requestOf(ConfigMaps, map), readerOf(namespace('Active')))).toBe(map);
  });

  it.each(['CREATE', 'UPDATE'] as const)('P-ADM-1 namespace is missing, %s -> not found', (operation) => {
    expect(outcome(plugin, requestOf(ConfigMaps, map, { operation }), readerOf())).toBe('404 namespaces "n" not found');
  });

  it('P-ADM-1 namespace is going, create -> forbidden, with the cause', () => {
    const request = requestOf(ConfigMaps, map);
    const reader = readerOf(namespace('Terminating'));
    expect(outcome(plugin, request, reader)).toBe(
      '403 configmaps "a" is forbidden: unable to create new content in namespace n because it is being terminated',
    );
    let refused: unknown;
    try {
      plugin.admit?.(request, reader);
    } catch (error) {
      refused = error;
    }
    expect(causeOf(refused, 'NamespaceTerminating')).toEqual({
      reason: 'NamespaceTerminating',
      message: 'namespace n is being terminated',
      field: 'metadata.namespace',
    });
  });

  it.each(['UPDATE', 'DELETE'] as const)('P-ADM-1 namespace is going, %s -> goes on', (operation) => {
    const request = requestOf(ConfigMaps, map, { operation, before: map });
    expect(outcome(plugin, request, readerOf(namespace('Terminating')))).toBe(request.object);
  });

  it('P-ADM-1 object without a namespace -> goes on', () => {
    const storageClass = made(StorageClasses, { provisioner: 'p' });
    expect(outcome(plugin, requestOf(StorageClasses, storageClass), readerOf())).toBe(storageClass);
  });

  it.each<[string, string | undefined]>([
    ['default', '403 namespaces "default" is forbidden: this namespace may not be deleted'],
    ['kube-system', '403 namespaces "kube-system" is forbidden: this namespace may not be deleted'],
    ['kube-public', '403 namespaces "kube-public" is forbidden: this namespace may not be deleted'],
    ['kube-node-lease', undefined],
    ['mine', undefined],
  ])('P-ADM-2 delete namespace %s -> %s', (name, expected) => {
    const target = made(Namespaces, { metadata: { name } });
    expect(outcome(plugin, requestOf(Namespaces, target, { operation: 'DELETE', before: target }), readerOf())).toBe(
      expected,
    );
  });
});
