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
  /** What the claim's owners are to be; undefined if they are right as they stand, or must not be touched. */
  readonly ownerReferences: Owners | undefined;
  /** Another controller manages the claim: the policy is not applied, which people should know. */
  readonly isConflicting: boolean;
}

export function decideOwners(set: StatefulSet, member: Member, claim: PersistentVolumeClaim): OwnersDecision {
  const owners = claim.metadata.ownerReferences ?? [];
  const isStale = hasStaleOwner(owners, setRef(set)) || hasStaleOwner(owners, podRef(member));
  const others = owners.filter((owner) => !isSame(owner, setRef(set)) && !isSame(owner, podRef(member)));
  const isConflicting = isManagedElsewhere(set, others) || (isStale && !retainsAll(set));
  if (isStale) return { ownerReferences: undefined, isConflicting };
  const wanted = isConflicting ? others : [...others, ...wantedOwners(set, member)];
  return { ownerReferences: isUpToDate(owners, wanted) ? undefined : wanted, isConflicting };
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

/** With a policy of Retain throughout nobody minds another controller. */
function isManagedElsewhere(set: StatefulSet, others: Owners): boolean {
  return !retainsAll(set) && others.some(({ controller }) => controller === true);
}

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

/** Every owner of ours must be there as a controller, and no other; the order is nobody's business. */
function isUpToDate(owners: Owners, wanted: Owners): boolean {
  if (owners.length !== wanted.length) return false;
  return wanted.every((each) =>
    owners.some((owner) => owner.uid === each.uid && (owner.controller === true || each.controller !== true)),
  );
}
