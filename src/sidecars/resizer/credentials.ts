import type { StringMap } from '../../csi/driver.ts';
import type { Cluster } from '../../kube/cluster.ts';
import { keyFrom } from '../../kube/object.ts';
import { Secrets } from '../../kube/resources/secret.ts';
import { attempt } from '../../runtime/attempt.ts';

export interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

/** The credentials a CSI call carries. They go to the driver and nowhere else: never into a log or a message. */
export async function readCredentials(
  cluster: Cluster,
  reference: SecretReference | undefined,
): Promise<{ readonly secrets: StringMap } | { readonly wrong: string }> {
  if (reference === undefined) return { secrets: {} };
  const { name = '', namespace = '' } = reference;
  const read = await attempt(() => cluster.get(Secrets, keyFrom(namespace, name)));
  if (read.failed) return { wrong: `error getting secret ${name} in namespace ${namespace}: ${read.error.message}` };
  const entries = Object.entries(read.value.data ?? {}).map(([key, value]) => [key, decodeBase64(value)] as const);
  return { secrets: Object.fromEntries(entries) };
}

function decodeBase64(text: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)));
}
