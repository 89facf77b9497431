// kubernetes:plugin/pkg/admission/serviceaccount/admission.go
import type { Random } from '../../base/random.ts';
import { generatedName } from '../../kube/generated-name.ts';
import { keyFrom } from '../../kube/object.ts';
import type { Container } from '../../kube/resources/container.ts';
import type { Volume } from '../../kube/resources/pod-spec.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type ServiceAccount, ServiceAccounts } from '../../kube/resources/service-account.ts';
import { isMirror, secretsOf } from '../nodeauthorization/pod-references.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from './admission.ts';
import { refusal, writtenObject } from './written-object.ts';

const DEFAULT_ACCOUNT = 'default';
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** One hour and a little, so that a token is renewed before an hour is over. kubernetes:pkg/serviceaccount/claims.go */
const TOKEN_SECONDS = 3607;
const FILE_MODE = 0o644;

/** `named`: pods get an account's name, whether or not the account exists. `mounted`: also its token, and it must exist. */
export type ServiceAccountSettings = { readonly type: 'named' } | { readonly type: 'mounted'; readonly random: Random };

export function serviceAccount(settings: ServiceAccountSettings): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    admit(request, reader) {
      const given = request.operation === 'CREATE' ? writtenObject(request, Pods) : undefined;
      if (given === undefined) return undefined;
      if (isMirror(given)) {
        const why = mirrorFault(given);
        if (why !== undefined) throw refusal(request, why);
        return undefined;
      }
      const pod = withAccountName(given);
      if (settings.type === 'named') return pod;
      const account = accountOf(pod, request, reader);
      return account === undefined ? pod : withPullSecrets(withToken(pod, account, settings.random), account);
    },
  };
}

/** A kubelet makes mirror pods by itself: nothing that needs an account may be in them. */
function mirrorFault(pod: Pod): string | undefined {
  if ((pod.spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (secretsOf(pod).length > 0) return 'a mirror pod may not reference secrets';
  const sources = (pod.spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  const hasToken = sources.some(({ serviceAccountToken }) => serviceAccountToken !== undefined);
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

function withAccountName(pod: Pod): Pod {
  const name = pod.spec.serviceAccountName ?? DEFAULT_ACCOUNT;
  return { ...pod, spec: { ...pod.spec, serviceAccountName: name, serviceAccount: name } };
}

/**
 * Upstream waits a while for the account that every new namespace gets; a write here never waits, so a pod that comes before
 * that account is let in without its token.
 */
function accountOf(pod: Pod, request: AdmissionRequest, reader: AdmissionReader): ServiceAccount | undefined {
  const name = pod.spec.serviceAccountName ?? DEFAULT_ACCOUNT;
  const namespace = request.namespace ?? '';
  const found = reader.get(ServiceAccounts, keyFrom(namespace, name));
  if (found !== undefined || name === DEFAULT_ACCOUNT) return found;
  throw refusal(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`);
}

function withPullSecrets(pod: Pod, { imagePullSecrets = [] }: ServiceAccount): Pod {
  const isGiven = (pod.spec.imagePullSecrets ?? []).length > 0;
  return isGiven || imagePullSecrets.length === 0 ? pod : { ...pod, spec: { ...pod.spec, imagePullSecrets } };
}

/** The pod's word counts before the account's. */
function withToken(pod: Pod, account: ServiceAccount, random: Random): Pod {
  const isWanted = pod.spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (!isWanted) return pod;
  const { volumes = [], containers, initContainers = [] } = pod.spec;
  const present = volumes.find(({ name }) => name.startsWith(VOLUME_PREFIX));
  if ([...containers, ...initContainers].every(isMounted)) return pod;
  const name = present?.name ?? generatedName(VOLUME_PREFIX, random);
  const mount = (container: Container): Container => withMount(container, name);
  return {
    ...pod,
    spec: {
      ...pod.spec,
      volumes: present === undefined ? [...volumes, tokenVolume(name)] : volumes,
      containers: containers.map(mount),
      ...(pod.spec.initContainers === undefined ? {} : { initContainers: initContainers.map(mount) }),
    },
  };
}

const isMounted = ({ volumeMounts = [] }: Container): boolean =>
  volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH);

function withMount(container: Container, name: string): Container {
  if (isMounted(container)) return container;
  const mount = { name, readOnly: true, mountPath: MOUNT_PATH };
  return { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: FILE_MODE,
  },
});
