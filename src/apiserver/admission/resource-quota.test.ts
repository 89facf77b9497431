import { describe, expect, it } from 'vitest';
import { ConfigMaps } from '../../kube/resources/config-map.ts';
import type { QuotaDecision, QuotaWrite } from '../../kube/quota-write.ts';
import { type ResourceQuota, ResourceQuotas } from '../../kube/resources/resource-quota.ts';
import { StorageClasses } from '../../kube/resources/storage-class.ts';
import { made, outcome, readerOf, requestOf } from './makers.ts';
import { defaultAdmission } from './plugins.ts';
import { resourceQuota } from './resource-quota.ts';

const limit = made(ResourceQuotas, { metadata: { name: 'limit', namespace: 'n' } });
const elsewhere = made(ResourceQuotas, { metadata: { name: 'far', namespace: 'm' } });
const map = made(ConfigMaps, {});

function quotaWith(decision: QuotaDecision) {
  const charged: ResourceQuota[] = [];
  const asked: [QuotaWrite, readonly ResourceQuota[]][] = [];
  const plugin = resourceQuota({
    ledger: { charge: (quota) => charged.push(quota) },
    decide: (write, quotas) => {
      asked.push([write, quotas]);
      return decision;
    },
    now: () => 5,
  });
  return { plugin, charged, asked };
}

describe('ResourceQuota', () => {
  it('P-ADM-10 the write fits -> the quotas are charged with it, those of its namespace only', () => {
    const { plugin, charged, asked } = quotaWith({ type: 'charge', quotas: [limit] });
    expect(outcome(plugin, requestOf(ConfigMaps, map), readerOf(limit, elsewhere))).toBe(map);
    expect(charged).toEqual([limit]);
    expect(asked).toEqual([
      [{ resource: ConfigMaps, subresource: undefined, object: map, before: undefined, now: 5 }, [limit]],
    ]);
  });

  it('P-ADM-10 the write does not fit -> forbidden, nothing is charged', () => {
    const { plugin, charged } = quotaWith({ type: 'refuse', message: 'exceeded quota: limit' });
    expect(outcome(plugin, requestOf(ConfigMaps, map), readerOf(limit))).toBe(
      '403 configmaps "a" is forbidden: exceeded quota: limit',
    );
    expect(charged).toEqual([]);
  });

  it('P-ADM-10 a dry run -> judged, not charged', () => {
    const { plugin, charged, asked } = quotaWith({ type: 'charge', quotas: [limit] });
    outcome(plugin, requestOf(ConfigMaps, map, { dryRun: true }), readerOf(limit));
    expect([asked.length, charged.length]).toEqual([1, 0]);
  });

  it('P-ADM-10 no quota, no namespace, a deletion -> not asked', () => {
    const { plugin, asked } = quotaWith({ type: 'charge', quotas: [] });
    outcome(plugin, requestOf(ConfigMaps, map), readerOf());
    outcome(plugin, requestOf(StorageClasses, made(StorageClasses, { provisioner: 'p' })), readerOf(limit));
    outcome(plugin, requestOf(ConfigMaps, map, { operation: 'DELETE', before: map }), readerOf(limit));
    expect(asked).toEqual([]);
  });

  it("P-ADM-11 the default list -> upstream's order, quota last", () => {
    const quota = {
      ledger: { charge: () => undefined },
      decide: (): QuotaDecision => ({ type: 'charge', quotas: [] }),
      now: () => 0,
    };
    expect(defaultAdmission({ quota }).map(({ name }) => name)).toEqual([
      'NamespaceLifecycle',
      'LimitRanger',
      'ServiceAccount',
      'TaintNodesByCondition',
      'Priority',
      'DefaultTolerationSeconds',
      'DefaultStorageClass',
      'StorageObjectInUseProtection',
      'PersistentVolumeClaimResize',
      'RuntimeClass',
      'ResourceQuota',
    ]);
    expect(defaultAdmission({ serviceAccount: null }).map(({ name }) => name)).not.toContain('ServiceAccount');
  });
});
