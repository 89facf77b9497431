import { type Profile } from './profile.ts';

interface PodName {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * What a waiting pod is told about those that hold its volume on other nodes. Names of other namespaces are none of its
 * business. kubernetes:pkg/controller/volume/attachdetach/reconciler/reconciler.go reportMultiAttachError
 */
export function multiAttachMessage(
  volumeName: string,
  pods: { readonly waiting: PodName; readonly holders: readonly PodName[] },
  { prefix, unused }: Profile['multiAttach'],
): string {
  return `${prefix} for volume "${volumeName}" ${pods.holders.length === 0 ? unused : holdersText(pods)}`;
}

function holdersText({
  waiting,
  holders,
}: {
  readonly waiting: PodName;
  readonly holders: readonly PodName[];
}): string {
  const local = holders.filter((pod) => pod.metadata.namespace === waiting.metadata.namespace);
  const others = holders.length - local.length;
  const elsewhere = `${others} pod(s) in different namespaces`;
  if (local.length === 0) return `Volume is already used by ${elsewhere}`;
  const names = `Volume is already used by pod(s) ${local.map(({ metadata }) => metadata.name).join(', ')}`;
  return others === 0 ? names : `${names} and ${elsewhere}`;
}
