// The identity of a member: its ordinal, which is part of its name, and what follows from that: labels, host name,
// volumes. kubernetes:pkg/controller/statefulset/stateful_set_utils.go
import type { Draft } from '../../kube/cluster.ts';
import { keyFrom } from '../../kube/object.ts';
import { faultsOfName } from '../../kube/names.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import type { PodTemplateSpec, Volume } from '../../kube/resources/pod-spec.ts';
import type { StatefulSet, StatefulSetSpec } from '../../kube/resources/stateful-set.ts';
import type { Profile } from './profile.ts';

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX_LABEL = 'apps.kubernetes.io/pod-index';
const REVISION_LABEL = 'controller-revision-hash';

const MEMBER_NAME = /^(.*)-([0-9]+)$/;
/** Ordinals are 32 bit. */
const ORDINAL_MAX = 2 ** 31 - 1;

/** What the rules about claims need to know of a pod, made or still to be made (then without uid). */
export interface Member {
  readonly name: string;
  readonly uid: string;
  readonly ordinal: number;
}

/** -1 for a name that no member has. */
export function ordinalOf(podName: string): number {
  const digits = MEMBER_NAME.exec(podName)?.[2];
  const ordinal = digits === undefined ? -1 : Number(digits);
  return ordinal > ORDINAL_MAX ? -1 : ordinal;
}

export const memberOf = ({ metadata: { name, uid } }: Pod): Member => ({ name, uid, ordinal: ordinalOf(name) });

/** By its name alone: whether the pod belongs to the set is the owner reference's word. */
export const hasMemberName = (set: StatefulSet, { metadata }: Pod): boolean =>
  MEMBER_NAME.exec(metadata.name)?.[1] === set.metadata.name;

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;
export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
export const isInRange = (set: StatefulSet, ordinal: number): boolean =>
  ordinal >= startOf(set) && ordinal < startOf(set) + replicasOf(set);

export const podNameOf = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[REVISION_LABEL] ?? '';

/** A template need not say its kind. */
type ClaimTemplate = NonNullable<StatefulSetSpec['volumeClaimTemplates']>[number];

function claimNameOf(set: StatefulSet, template: ClaimTemplate, ordinal: number): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinal}`;
}

/** The claims of a member in the order of the templates, each to be made if it is missing. */
export function claimsOf(set: StatefulSet, ordinal: number): readonly Draft<PersistentVolumeClaim>[] {
  const { namespace } = set.metadata;
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const labels = { ...template.metadata.labels, ...set.spec.selector?.matchLabels };
    const { annotations, finalizers } = template.metadata;
    return {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: claimNameOf(set, template, ordinal),
        ...(namespace === undefined ? {} : { namespace }),
        labels,
        ...(annotations === undefined ? {} : { annotations }),
        ...(finalizers === undefined ? {} : { finalizers }),
      },
      spec: template.spec,
    };
  });
}

/** Whether a claim of this name belongs to some member of the set. */
export function hasClaimName(set: StatefulSet, claimName: string): boolean {
  const ordinal = ordinalOf(claimName);
  const templates = set.spec.volumeClaimTemplates ?? [];
  return ordinal >= 0 && templates.some((template) => claimNameOf(set, template, ordinal) === claimName);
}

export const claimKeyOf = (claim: Draft<PersistentVolumeClaim>): string =>
  keyFrom(claim.metadata.namespace, claim.metadata.name ?? '');

/** A pod does not say its ordinal in any other way: a member with the right name has it. */
export const hasIdentity = (set: StatefulSet, pod: Pod): boolean =>
  pod.metadata.name === podNameOf(set, ordinalOf(pod.metadata.name)) &&
  pod.metadata.labels?.[POD_NAME_LABEL] === pod.metadata.name;

export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  const ordinal = ordinalOf(pod.metadata.name);
  const claimNames = new Map(
    pod.spec.volumes?.map(({ name, persistentVolumeClaim: claim }) => [name, claim?.claimName]),
  );
  return (set.spec.volumeClaimTemplates ?? []).every(
    (template) => claimNames.get(template.metadata.name) === claimNameOf(set, template, ordinal),
  );
}

export function identityLabels(set: StatefulSet, ordinal: number, profile: Profile): Readonly<Record<string, string>> {
  return {
    [POD_NAME_LABEL]: podNameOf(set, ordinal),
    ...(profile.podIndexLabel ? { [POD_INDEX_LABEL]: String(ordinal) } : {}),
  };
}

/** A claim of the set takes the place of a volume of the same name. */
export function withStorage(set: StatefulSet, ordinal: number, volumes: readonly Volume[]): readonly Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const names = new Set(templates.map(({ metadata }) => metadata.name));
  const claimed = templates.map((template): Volume => {
    return { name: template.metadata.name, persistentVolumeClaim: { claimName: claimNameOf(set, template, ordinal) } };
  });
  return [...claimed, ...volumes.filter(({ name }) => !names.has(name))];
}

export interface PodRevision {
  readonly name: string;
  readonly template: PodTemplateSpec;
}

export function newPod(set: StatefulSet, ordinal: number, revision: PodRevision, profile: Profile): Draft<Pod> {
  const { metadata, spec } = revision.template;
  const { annotations, finalizers } = metadata;
  const { namespace } = set.metadata;
  const name = podNameOf(set, ordinal);
  const volumes = withStorage(set, ordinal, spec.volumes ?? []);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: podNamePrefix(set.metadata.name),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...metadata.labels, ...identityLabels(set, ordinal, profile), [REVISION_LABEL]: revision.name },
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ownerReferences: [ownerReferenceTo(set, { controller: true, blockOwnerDeletion: true })],
    },
    spec: {
      ...spec,
      ...(volumes.length === 0 ? {} : { volumes }),
      hostname: name,
      ...(set.spec.serviceName === '' ? {} : { subdomain: set.spec.serviceName }),
    },
  };
}

/** The dash is left out where the name could not bear it. kubernetes:pkg/controller/controller_utils.go */
function podNamePrefix(setName: string): string {
  const prefix = `${setName}-`;
  return faultsOfName('subdomain', prefix, true).length === 0 ? prefix : setName;
}
