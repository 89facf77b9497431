import { type StringMap } from '../../csi/driver.ts';
import { type Cluster } from '../../kube/cluster.ts';
import { keyFrom } from '../../kube/object.ts';
import { type PersistentVolumeSpec } from '../../kube/resources/persistent-volume.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { attempt } from '../../runtime/attempt.ts';
import { type Found } from './node-id.ts';

/** What the driver needs to know to publish a volume. It goes to the driver and nowhere else. */
export async function readCredentials(cluster: Cluster, { csi }: PersistentVolumeSpec): Promise<Found<StringMap>> {
  const reference = csi?.controllerPublishSecretRef;
  if (reference === undefined) return { type: 'found', value: {} };
  const key = keyFrom(reference.namespace, reference.name ?? '');
  const read = await attempt(() => cluster.get(Secrets, key));
  if (read.failed) return { type: 'wrong', message: `failed to load secret "${key}": ${read.error.message}` };
  const credentials = new Map<string, string>();
  for (const [name, value] of Object.entries(read.value.data ?? {})) credentials.set(name, decodeBase64(value));
  return { type: 'found', value: Object.fromEntries(credentials) };
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
