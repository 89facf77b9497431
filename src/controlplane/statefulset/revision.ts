// What a ControllerRevision of a set holds: a patch that puts the pod template back as it was. Names are hashes of the
// very bytes of that patch, so the same template gives the same name here and upstream.
// kubernetes:pkg/controller/history/controller_history.go, pkg/controller/statefulset/stateful_set_utils.go
import { safeEncoded } from '../../kube/generated-name.ts';
import { goJson } from '../../kube/go-text.ts';
import type { Draft } from '../../kube/cluster.ts';
import { type JsonObject, isJsonObject } from '../../kube/json.ts';
import { ownerReferenceTo } from '../../kube/owner-reference.ts';
import type { ControllerRevision } from '../../kube/resources/controller-revision.ts';
import type { PodTemplateSpec } from '../../kube/resources/pod-spec.ts';
import type { StatefulSet } from '../../kube/resources/stateful-set.ts';

const HASH_LABEL = 'controller.kubernetes.io/hash';
/** Of the set's name within the name of a revision. kubernetes:pkg/controller/history/controller_history.go */
const NAME_PREFIX_LENGTH_MAX = 223;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** FNV-1, 32 bit: multiplied first, then mixed with the byte. */
function fnv1(text: string): number {
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash, FNV_PRIME) ^ byte;
  return hash >>> 0;
}

/** JSON as Go writes a map: keys in order, at every depth. */
export const canonicalJson = (value: unknown): string => goJson(sorted(value));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

export function revisionData({ spec }: StatefulSet): JsonObject {
  return { spec: { template: { ...spec.template, $patch: 'replace' } } };
}

/** The template that a revision puts back. */
export function templateOf({ data, metadata }: ControllerRevision): PodTemplateSpec {
  const spec = isJsonObject(data) ? data['spec'] : undefined;
  const template = isJsonObject(spec) ? spec['template'] : undefined;
  if (isJsonObject(template)) {
    const { $patch: _directive, ...kept } = template;
    if (isPodTemplate(kept)) return kept;
  }
  throw new Error(`revision ${metadata.name} holds no pod template`);
}

/** The parts were validated when the set was written. */
const isPodTemplate = (value: JsonObject): value is PodTemplateSpec & JsonObject =>
  isJsonObject(value['metadata']) && isJsonObject(value['spec']);

export function revisionHash(data: unknown, collisionCount: number): string {
  return safeEncoded(String(fnv1(`${canonicalJson(data)}${collisionCount}`)));
}

export function revisionName(set: StatefulSet, hash: string): string {
  return `${set.metadata.name.slice(0, NAME_PREFIX_LENGTH_MAX)}-${hash}`;
}

export function newRevision(
  set: StatefulSet,
  revision: number,
): Draft<ControllerRevision> & { readonly metadata: { readonly name: string } } {
  const data = revisionData(set);
  const hash = revisionHash(data, set.status.collisionCount ?? 0);
  const { namespace, annotations } = set.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(set, hash),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...set.spec.template.metadata.labels, [HASH_LABEL]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [ownerReferenceTo(set, { controller: true, blockOwnerDeletion: true })],
    },
    data,
    revision,
  };
}

/** By number, then age, then name. */
export function inOrder(revisions: Iterable<ControllerRevision>): readonly ControllerRevision[] {
  return [...revisions].toSorted(
    (left, right) =>
      left.revision - right.revision ||
      order(left.metadata.creationTimestamp, right.metadata.creationTimestamp) ||
      order(left.metadata.name, right.metadata.name),
  );
}

const order = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

export type RevisionDecision =
  | { readonly type: 'use'; readonly revision: ControllerRevision }
  /** An older revision is wanted again: it becomes the newest. */
  | { readonly type: 'renumber'; readonly revision: ControllerRevision; readonly number: number }
  | { readonly type: 'create'; readonly draft: Draft<ControllerRevision> };

/** Which revision the set is to be brought to. `revisions` are in order. */
export function decideRevision(set: StatefulSet, revisions: readonly ControllerRevision[]): RevisionDecision {
  const latest = revisions.at(-1);
  const number = (latest?.revision ?? 0) + 1;
  const wanted = revisionData(set);
  const wantedJson = canonicalJson(wanted);
  const equal = revisions.findLast(({ data }) => canonicalJson(data) === wantedJson);
  if (equal !== undefined) {
    // Several revisions may hold the same template; only the last of all says what is in force.
    const isLatest = latest !== undefined && canonicalJson(latest.data) === wantedJson;
    return isLatest ? { type: 'use', revision: latest } : { type: 'renumber', revision: equal, number };
  }
  if (latest !== undefined && isSameMeaning(latest.data, wanted)) return { type: 'use', revision: latest };
  return { type: 'create', draft: newRevision(set, number) };
}

/** Servers before 1.34 wrote unset times as null, which must not look like a change of the template. */
const isSameMeaning = (left: unknown, right: unknown): boolean =>
  canonicalJson(withoutNulls(left)) === canonicalJson(withoutNulls(right));

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each)]));
}

export interface HistoryFacts {
  /** In order. */
  readonly revisions: readonly ControllerRevision[];
  /** Names of revisions that are in force or that a pod still has. */
  readonly live: ReadonlySet<string>;
  /** Negative keeps all. */
  readonly limit: number;
}

/** The oldest revisions that nothing needs, beyond as many as may be kept. */
export function decideTruncation({ revisions, live, limit }: HistoryFacts): readonly ControllerRevision[] {
  const dead = revisions.filter(({ metadata }) => !live.has(metadata.name));
  return limit < 0 || dead.length <= limit ? [] : dead.slice(0, dead.length - limit);
}
