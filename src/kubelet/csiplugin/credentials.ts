import type { StringMap } from '../../csi/driver.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyFrom } from '../../kube/object.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { csiLog, failureOf, VolumeFailure } from './volume-failure.ts';

interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

/** The credentials a CSI call carries. They go to the driver and nowhere else: never into a log or a message. */
export async function readCredentials(cluster: Cluster, reference: SecretReference | undefined): Promise<StringMap> {
  if (reference === undefined) return {};
  const { name = '', namespace = '' } = reference;
  try {
    const secret = await cluster.get(Secrets, keyFrom(namespace, name));
    const entries = Object.entries(secret.data ?? {}).map(([key, value]) => [key, decodeBase64(value)] as const);
    return Object.fromEntries(entries);
  } catch (error) {
    failureOf(error);
    const text = `failed to find the secret ${name} in the namespace ${namespace} with error: ${messageOf(error)}`;
    throw new VolumeFailure(csiLog(text), 'transient');
  }
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
