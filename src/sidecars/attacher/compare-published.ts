// Compares what attachments say with what the driver has published, for drivers that can list it. Where the two differ
// the attachment is looked at again as if it were new; its status is not touched here. What the driver has published
// without an attachment is nobody's. external-attacher:pkg/controller/csi_handler.go ReconcileVA, pkg/attacher/lister.go
import { type CsiCall, type CsiDriver } from '../../csi/driver.ts';
import { type VolumeAttachment } from '../../kube/resources/volume-attachment.ts';
import { lastNodeIdOf } from './node-id.ts';
import { csiSourceOf, sourceOf } from './publish-request.ts';
import { type Services } from './services.ts';

/** Node ids by volume id. */
export type Published = ReadonlyMap<string, readonly string[]>;

export async function listPublished({ controller }: CsiDriver, maxEntries: number, call: CsiCall): Promise<Published> {
  const published = new Map<string, readonly string[]>();
  let startingToken = '';
  do {
    const page = await controller.listVolumes({ maxEntries, startingToken }, call);
    for (const { volume, status } of page.entries) published.set(volume.volumeId, status.publishedNodeIds);
    startingToken = page.nextToken;
  } while (startingToken !== '');
  return published;
}

/** Names of the attachments whose status the driver contradicts. Those of which too little is known are left alone. */
export function contradicted(services: Services, published: Published): readonly string[] {
  const attachments = [...services.attachments.by('driver', services.driver.name)];
  return attachments
    .filter((each) => isPublished(each, services, published) === (each.status.attached !== true))
    .map(({ metadata }) => metadata.name);
}

function isPublished(attachment: VolumeAttachment, services: Services, published: Published): boolean | undefined {
  const nodeId = lastNodeIdOf(attachment, services.csiNodes.get(attachment.spec.nodeName));
  const handle = handleOf(attachment, services);
  if (nodeId.type === 'wrong' || handle === undefined) return undefined;
  return published.get(handle)?.includes(nodeId.value) ?? false;
}

function handleOf(attachment: VolumeAttachment, { volumes }: Services): string | undefined {
  const source = sourceOf(attachment);
  if (source.type === 'wrong') return undefined;
  const spec = 'inline' in source.value ? source.value.inline : volumes.get(source.value.persistentVolumeName)?.spec;
  const csi = spec === undefined ? undefined : csiSourceOf(spec);
  return csi?.type === 'found' ? csi.value.volumeHandle : undefined;
}
