import type { KubeObject, Resource } from '../../kube/object.ts';
import type { Strategy } from './strategy.ts';

/** A kind without rules of its own, as custom resources are: stored as sent, with generation and a split-off status. */
export function genericStrategy(resource: Resource<KubeObject>, traits: Partial<Strategy> = {}): Strategy {
  return {
    resource,
    hasGeneration: true,
    hasStatus: false,
    requiresResourceVersion: true,
    nameRule: 'subdomain',
    applyDefaults: (object) => object,
    prepareForStatusUpdate: (object, before) => ({ ...object, metadata: before.metadata }),
    validate: () => [],
    ...traits,
  };
}
