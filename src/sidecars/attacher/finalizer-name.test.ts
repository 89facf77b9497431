import { expect, it } from 'vitest';
import { finalizerName } from './finalizer-name.ts';

it.each([
  ['hostpath.csi.k8s.io', 'external-attacher/hostpath-csi-k8s-io'],
  ['csi/test', 'external-attacher/csi-test'],
  ['Disk_1', 'external-attacher/Disk-1'],
  ['disk.', 'external-attacher/disk-X'],
])('%s -> %s', (driver, name) => expect(finalizerName(driver)).toBe(name));
