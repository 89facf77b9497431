// kubernetes:pkg/registry/core/serviceaccount/strategy.go
import { type ServiceAccount, ServiceAccounts } from '../../kube/resources/service-account.ts';
import type { Strategy } from './strategy.ts';

export const serviceAccountStrategy: Strategy<ServiceAccount> = {
  resource: ServiceAccounts,
  hasGeneration: false,
  hasStatus: false,
  answersDeletedObject: true,
  nameRule: 'subdomain',
  applyDefaults: (account) => account,
  validate: () => [],
};
