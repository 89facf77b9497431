// Who owns the claims of a member, so that the garbage collector deletes them when the retention policy says so:
//
//   whenScaled  whenDeleted  a member in range   a member scaled away
//   Retain      Retain       nobody              nobody
//   Retain      Delete       the set             the set
//   Delete      Retain       nobody              the pod
//   Delete      Delete       the set             the pod
//
// A claim that bears traces of an earlier set or pod of the same name, or that another controller manages, is left as it
// is: it may hold data that nobody meant to delete.
// kubernetes:pkg/controller/statefulset/stateful_set_utils.go
import type { KubeObject, OwnerReference } from '../../kube/object.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { StatefulSet } from '../../kube/resources/stateful-set.ts';
import { type Member, isInRange } from './pod-identity.ts';

type Owners = readonly OwnerReference[];

interface Policy {
  readonly whenDeleted: string;
  readonly whenScaled: string;
}

const RETAIN: Policy = { whenDeleted: 'Retain', whenScaled: 'Retain' };

const retentionPolicyOf = ({ spec }: StatefulSet): Policy => ({
  ...RETAIN,
  ...spec.persistentVolumeClaimRetentionPolicy,
});

export interface OwnersDecision {
  /** References of ours that the claim is to have and has not, or not as its controller. */
  readonly add: Owners;
  /** References of ours that it is not to have, by uid. */
  readonly remove: readonly string[];
  /** Another controller manages the claim: the policy is not applied, which people should know. */
  readonly isConflicting: boolean;
}

export function decideOwners(set: StatefulSet, member: Member, claim: PersistentVolumeClaim): OwnersDecision {
  const owners = claim.metadata.ownerReferences ?? [];
  const isOurs = (owner: OwnerReference): boolean => isSame(owner, setRef(set)) || isSame(owner, podRef(member));
  const isStale = hasStaleOwner(owners, setRef(set)) || hasStaleOwner(owners, podRef(member));
  const isManagedElsewhere = owners.some((owner) => !isOurs(owner) && owner.controller === true);
  const isConflicting = (isStale || isManagedElsewhere) && !retainsAll(set);
  if (isStale) return { add: [], remove: [], isConflicting };
  const wanted = isConflicting ? [] : wantedOwners(set, member);
  const isThere = ({ uid }: OwnerReference): boolean =>
    owners.some((owner) => owner.uid === uid && owner.controller === true);
  const isWanted = ({ uid }: OwnerReference): boolean => wanted.some((each) => each.uid === uid);
  return {
    add: wanted.filter((each) => !isThere(each)),
    remove: owners.filter((owner) => isOurs(owner) && !isWanted(owner)).map(({ uid }) => uid),
    isConflicting,
  };
}

/** A claim that still belongs to an earlier pod of this name is about to be deleted and must not be used again. */
export function isStaleClaim(set: StatefulSet, member: Member, claim: PersistentVolumeClaim): boolean {
  if (retentionPolicyOf(set).whenScaled === 'Retain') return false;
  return hasStaleOwner(claim.metadata.ownerReferences ?? [], podRef(member));
}

type Owner = Pick<OwnerReference, 'apiVersion' | 'kind' | 'name' | 'uid'>;

const setRef = ({ metadata }: KubeObject): Owner => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: metadata.name,
  uid: metadata.uid,
});
const podRef = ({ name, uid }: Member): Owner => ({ apiVersion: 'v1', kind: 'Pod', name, uid });

/** By name: an owner that was made again under the same name is the same in this sense, and has another uid. */
const isSame = (owner: OwnerReference, { apiVersion, kind, name }: Owner): boolean =>
  owner.apiVersion === apiVersion && owner.kind === kind && owner.name === name;

const hasStaleOwner = (owners: Owners, of: Owner): boolean =>
  owners.some((owner) => isSame(owner, of) && owner.uid !== of.uid);

/** With such a policy nobody minds another controller. */
function retainsAll(set: StatefulSet): boolean {
  const { whenDeleted, whenScaled } = retentionPolicyOf(set);
  return whenDeleted === 'Retain' && whenScaled === 'Retain';
}

function wantedOwners(set: StatefulSet, member: Member): Owners {
  const { whenDeleted, whenScaled } = retentionPolicyOf(set);
  const isScaledAway = !isInRange(set, member.ordinal);
  if (whenScaled === 'Delete' && isScaledAway) return [controlling(podRef(member))];
  return whenDeleted === 'Delete' ? [controlling(setRef(set))] : [];
}

const controlling = (owner: Owner): OwnerReference => ({ ...owner, controller: true, blockOwnerDeletion: true });
