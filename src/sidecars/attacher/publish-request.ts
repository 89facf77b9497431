// The question to the driver, made from a PersistentVolume. external-attacher:pkg/controller/{csi_handler,util}.go
import { csiAccessMode } from '../../csi/access-mode.ts';
import {
  type ControllerCapability,
  type ControllerPublishVolumeRequest,
  type VolumeCapability,
} from '../../csi/driver.ts';
import { type PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { type Found } from './node-id.ts';

type CsiSource = NonNullable<PersistentVolumeSpec['csi']>;

/** A volume of which nothing but the node and the secrets is left to be found. */
export type PreparedRequest = Pick<
  ControllerPublishVolumeRequest,
  'volumeId' | 'volumeCapability' | 'readonly' | 'volumeContext'
>;

const wrong = (message: string): { readonly type: 'wrong'; readonly message: string } => ({ type: 'wrong', message });

/** Which of the two sources the object names. */
export function sourceOf(
  attachment: VolumeAttachment,
): Found<{ readonly persistentVolumeName: string } | { readonly inline: PersistentVolumeSpec }> {
  const { persistentVolumeName, inlineVolumeSpec } = attachment.spec.source;
  if (persistentVolumeName !== undefined && inlineVolumeSpec !== undefined) {
    return wrong('both InlineCSIVolumeSource and PersistentVolumeName specified in VA source');
  }
  if (persistentVolumeName !== undefined) return { type: 'found', value: { persistentVolumeName } };
  if (inlineVolumeSpec === undefined) {
    return wrong('neither InlineCSIVolumeSource nor PersistentVolumeName specified in VA source');
  }
  if (inlineVolumeSpec.csi === undefined) return wrong('inline volume spec contains nil CSI source');
  return { type: 'found', value: { inline: inlineVolumeSpec } };
}

export function csiSourceOf(spec: PersistentVolumeSpec): Found<CsiSource> {
  return spec.csi === undefined
    ? wrong('pv spec contained non-csi source that was not migrated')
    : { type: 'found', value: spec.csi };
}

export interface RequestOptions {
  readonly capabilities: ReadonlySet<ControllerCapability>;
  readonly defaultFstype: string;
}

export function prepareRequest(spec: PersistentVolumeSpec, options: RequestOptions): Found<PreparedRequest> {
  const source = csiSourceOf(spec);
  if (source.type === 'wrong') return source;
  const capability = capabilityOf(spec, source.value, options);
  if (capability.type === 'wrong') return capability;
  return {
    type: 'found',
    value: {
      volumeId: source.value.volumeHandle,
      volumeCapability: capability.value,
      // A driver that cannot publish read-only must not be asked to.
      readonly: source.value.readOnly === true && options.capabilities.has('PUBLISH_READONLY'),
      volumeContext: source.value.volumeAttributes ?? {},
    },
  };
}

function capabilityOf(spec: PersistentVolumeSpec, source: CsiSource, options: RequestOptions): Found<VolumeCapability> {
  const mode = csiAccessMode(spec.accessModes ?? [], options.capabilities.has('SINGLE_NODE_MULTI_WRITER'));
  if (mode.type === 'impossible') return wrong(mode.message);
  const fsType = (source.fsType ?? '') === '' ? options.defaultFstype : (source.fsType ?? '');
  const mount = { case: 'mount' as const, fsType, mountFlags: spec.mountOptions ?? [] };
  const accessType = spec.volumeMode === 'Block' ? { case: 'block' as const } : mount;
  return { type: 'found', value: { accessType, accessMode: mode.mode } };
}
