import type { Patch } from '../../kube/cluster.ts';
import { mergePatchBetween } from '../../kube/patch/merge-patch.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimCondition,
} from '../../kube/resources/persistent-volume-claim.ts';

/**
 * What changes from one claim to the other, as a patch of the status. Conditions are merged by type, so that those which
 * others wrote meanwhile stay. With `checksVersion` the patch fails if the claim is not the one that was seen.
 */
export function claimPatch(before: PersistentVolumeClaim, after: PersistentVolumeClaim, checksVersion: boolean): Patch {
  const { conditions: then = [], ...statusThen } = before.status;
  const { conditions: now = [], ...statusNow } = after.status;
  const conditions = conditionsBetween(then, now);
  const status = {
    ...mergePatchBetween({ ...statusThen }, { ...statusNow }),
    ...(conditions.length === 0 ? {} : { conditions }),
    // Without it a merge puts what is patched before what was there.
    ...(conditions.length === 0 || now.length === 0
      ? {}
      : { '$setElementOrder/conditions': now.map(({ type }) => ({ type })) }),
  };
  const annotations = mergePatchBetween({ ...before.metadata.annotations }, { ...after.metadata.annotations });
  const metadata = {
    ...(checksVersion ? { resourceVersion: before.metadata.resourceVersion } : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
  return {
    type: 'strategic',
    body: {
      ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
      ...(Object.keys(status).length === 0 ? {} : { status }),
    },
  };
}

function conditionsBetween(
  before: readonly PersistentVolumeClaimCondition[],
  after: readonly PersistentVolumeClaimCondition[],
): readonly object[] {
  const then = new Map(before.map((each) => [each.type, each]));
  const now = new Set(after.map(({ type }) => type));
  return [
    ...after.filter((each) => then.get(each.type) !== each).map((each) => replaced(then.get(each.type), each)),
    ...before.filter(({ type }) => !now.has(type)).map(({ type }) => ({ type, $patch: 'delete' })),
  ];
}

/** A merge would keep what the new condition does not have. */
function replaced(
  before: PersistentVolumeClaimCondition | undefined,
  after: PersistentVolumeClaimCondition,
): Readonly<Record<string, unknown>> {
  const gone = Object.keys(before ?? {}).filter((key) => !Object.hasOwn(after, key));
  return { ...after, ...Object.fromEntries(gone.map((key) => [key, null])) };
}
