// A whole CSI driver in memory, described by data. Several can run side by side; each has its own backend. It keeps no
// time: latency, faults and deadlines are put around it (`wrapDriver`, `enforceDeadlines`).
import type { CsiDriver, PluginCapability } from '../../driver.ts';
import { MemoryBackend, type MemoryDriverSurroundings } from './backend.ts';
import type { MemoryDriverConfig } from './config.ts';
import { nodeService } from './node-service.ts';
import { publicationRpcs } from './publications.ts';
import { snapshotRpcs } from './snapshots.ts';
import { volumeQueryRpcs } from './volume-queries.ts';
import { volumeRpcs } from './volumes.ts';

export interface MemoryDriver extends CsiDriver {
  /** The disks themselves, for checkers, tests and stories. Components must not look here. */
  readonly backend: MemoryBackend;
}

export function memoryDriver(config: MemoryDriverConfig, surroundings: MemoryDriverSurroundings): MemoryDriver {
  const backend = new MemoryBackend(config, surroundings);
  const { settings } = backend;
  return {
    name: settings.name,
    backend,
    identity: {
      getPluginInfo: async () => ({ name: settings.name, vendorVersion: settings.vendorVersion, manifest: {} }),
      getPluginCapabilities: async () => ({ capabilities: pluginCapabilities(backend) }),
      probe: async () => ({ ready: true }),
    },
    controller: {
      controllerGetCapabilities: async () => ({
        capabilities: [...settings.controller].map((type) => ({ case: 'rpc' as const, type })),
      }),
      ...volumeRpcs(backend),
      ...volumeQueryRpcs(backend),
      ...publicationRpcs(backend),
      ...snapshotRpcs(backend),
    },
    nodeService: (nodeName) => nodeService(backend, nodeName),
  };
}

function pluginCapabilities({ settings }: MemoryBackend): readonly PluginCapability[] {
  const services = [...settings.plugin].map((type): PluginCapability => ({ case: 'service', type }));
  const canExpand = settings.controller.has('EXPAND_VOLUME') || settings.node.has('EXPAND_VOLUME');
  return canExpand ? [...services, { case: 'volumeExpansion', type: settings.volumeExpansion }] : services;
}
