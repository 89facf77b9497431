import type { KubeObject } from '../../kube/object.ts';
import { isOf, keyFrom, keyOf } from '../../kube/object.ts';
import { type PersistentVolumeClaim, PersistentVolumeClaims } from '../../kube/resources/persistent-volume-claim.ts';
import { type PersistentVolume, PersistentVolumes } from '../../kube/resources/persistent-volume.ts';
import type { MakeChecker, Tell } from './checker.ts';
import { isUser } from './people.ts';
import type { Scene } from './scene.ts';

/** A bound claim and its volume point at each other, uid included, and a volume is not taken from the claim that has it. */
export const bindSymmetry: MakeChecker = (scene, tell) => ({
  name: 'bind-symmetry',
  observe(fact) {
    if (fact.type !== 'write' || fact.after === undefined) return;
    const { before, after } = fact;
    if (isOf(PersistentVolumeClaims, after) && isBound(after) && !isBound(before)) checkClaim(scene, tell, after);
    if (isOf(PersistentVolumes, after) && !isUser(fact.actor)) checkTaken(scene, tell, { before, after });
  },
  atRest() {
    for (const claim of scene.all(PersistentVolumeClaims)) if (isBound(claim)) checkClaim(scene, tell, claim);
    for (const volume of scene.all(PersistentVolumes)) if (isBound(volume)) checkVolume(scene, tell, volume);
  },
});

type Phased = KubeObject & { readonly status?: { readonly phase?: string } };
const isBound = (object: Phased | undefined): boolean => object?.status?.phase === 'Bound';

function checkClaim(scene: Scene, tell: Tell, claim: PersistentVolumeClaim): void {
  const name = claim.spec.volumeName ?? '';
  const ref = scene.get(PersistentVolumes, name)?.spec.claimRef;
  if (ref?.uid === claim.metadata.uid) return;
  const says =
    ref === undefined
      ? `it is Bound, and its volume "${name}" points at no claim`
      : `it is Bound, and its volume ${name} points at ${keyFrom(ref.namespace, ref.name ?? '')} (${ref.uid ?? 'no uid'})`;
  tell({ severity: 'violation', about: `pvc/${keyOf(claim)}`, says });
}

function checkVolume(scene: Scene, tell: Tell, volume: PersistentVolume): void {
  const claim = claimOf(scene, volume);
  if (claim?.spec.volumeName === volume.metadata.name) return;
  const says =
    claim === undefined ? 'it is Bound to a claim that is gone' : 'it is Bound to a claim that does not name it';
  tell({ severity: 'violation', about: `pv/${volume.metadata.name}`, says });
}

function checkTaken(
  scene: Scene,
  tell: Tell,
  { before, after }: { readonly before: KubeObject | undefined; readonly after: PersistentVolume },
): void {
  if (before === undefined || !isOf(PersistentVolumes, before)) return;
  const had = before.spec.claimRef?.uid;
  if (had === undefined || had === after.spec.claimRef?.uid) return;
  const claim = claimOf(scene, before);
  if (claim === undefined || claim.spec.volumeName !== after.metadata.name) return;
  tell({
    severity: 'violation',
    about: `pv/${after.metadata.name}`,
    says: `it was taken from pvc/${keyOf(claim)}, which has it`,
  });
}

/** The very claim that the volume points at. */
function claimOf(scene: Scene, { spec }: PersistentVolume): PersistentVolumeClaim | undefined {
  const claim = scene.get(PersistentVolumeClaims, keyFrom(spec.claimRef?.namespace, spec.claimRef?.name ?? ''));
  return claim?.metadata.uid === spec.claimRef?.uid ? claim : undefined;
}
