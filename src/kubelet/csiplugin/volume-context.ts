// What a driver is told of the pod that gets a volume. kubernetes:pkg/volume/csi/{csi_util,csi_mounter}.go
import type { StringMap } from '../../csi/driver.ts';
import { keyFrom } from '../../kube/object.ts';
import type { CSIDriver } from '../../kube/resources/csi-driver.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { ServiceAccounts } from '../../kube/resources/service-account.ts';
import type { OperationTurn } from './csi-services.ts';

const TOKENS_KEY = 'csi.storage.k8s.io/serviceAccount.tokens';

/** Empty unless the driver asked for it with podInfoOnMount. */
export function podInfoOf(pod: Pod, driverObject: CSIDriver | undefined, isEphemeral: boolean): StringMap {
  if (driverObject?.spec.podInfoOnMount !== true) return {};
  return {
    'csi.storage.k8s.io/pod.name': pod.metadata.name,
    'csi.storage.k8s.io/pod.namespace': pod.metadata.namespace ?? '',
    'csi.storage.k8s.io/pod.uid': pod.metadata.uid,
    'csi.storage.k8s.io/serviceAccount.name': pod.spec.serviceAccountName ?? '',
    'csi.storage.k8s.io/ephemeral': String(isEphemeral),
  };
}

export interface PodTokens {
  readonly volumeContext: StringMap;
  readonly secrets: StringMap;
}

interface TokenAnswer {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string };
}

/** Tokens of the pod's service account, one an audience that the driver asked for. */
export async function podTokensOf(
  pod: Pod,
  driverObject: CSIDriver | undefined,
  { cluster }: OperationTurn,
): Promise<PodTokens> {
  const requests = driverObject?.spec.tokenRequests ?? [];
  if (requests.length === 0) return { volumeContext: {}, secrets: {} };
  const account = keyFrom(pod.metadata.namespace, pod.spec.serviceAccountName ?? 'default');
  const outputs: Record<string, object> = {};
  for (const { audience, expirationSeconds } of requests) {
    const answer = await cluster.post<TokenAnswer>(ServiceAccounts, account, 'token', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: audience === '' ? [] : [audience],
        ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid },
      },
    });
    outputs[audience] = { token: answer.status?.token ?? '', expirationTimestamp: answer.status?.expirationTimestamp };
  }
  const tokens = { [TOKENS_KEY]: JSON.stringify(outputs) };
  const inSecrets = driverObject?.spec.serviceAccountTokenInSecrets === true;
  return inSecrets ? { volumeContext: {}, secrets: tokens } : { volumeContext: tokens, secrets: {} };
}
