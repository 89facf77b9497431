// What may change in a pod that exists. kubernetes:pkg/apis/core/validation/validation.go (ValidatePodUpdate)
import { type FieldError, forbidden, invalid, required } from '../../kube/field-error.ts';
import type { Container } from '../../kube/resources/container.ts';
import type { Toleration } from '../../kube/resources/node-selector.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';
import type { Pod } from '../../kube/resources/pod.ts';
import { checkTolerations } from './affinity-checks.ts';
import { difference } from './difference.ts';
import { checkRange } from './field-checks.ts';
import { sameValue } from './semantic-equal.ts';

type Faults = readonly FieldError[];

const INT32_MAX = 2 ** 31 - 1;
const UPDATABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Faults of the change alone. A changed number of containers or a bad deadline ends the search, as upstream's does. */
export function checkPodChange(pod: Pod, before: Pod): Faults {
  const { spec } = pod;
  const old = before.spec;
  const images = checkImages(spec.containers, old.containers, 'spec.containers');
  if (spec.containers.length !== old.containers.length) return images;
  const initial = spec.initContainers ?? [];
  const initialBefore = old.initContainers ?? [];
  const initialImages = [...images, ...checkImages(initial, initialBefore, 'spec.initContainers')];
  if (initial.length !== initialBefore.length) return initialImages;
  const deadline = checkDeadline(spec.activeDeadlineSeconds, old.activeDeadlineSeconds);
  if (spec.activeDeadlineSeconds !== undefined && deadline.length > 0) return [...initialImages, ...deadline];
  return [
    ...initialImages,
    ...deadline,
    ...checkAddedTolerations(spec.tolerations ?? [], old.tolerations ?? []),
    ...checkRemovedGates(spec, old),
    ...checkGatedSelector(spec, old),
    ...checkFixed(spec, old),
  ];
}

function checkImages(containers: readonly Container[], before: readonly Container[], path: string): Faults {
  if (containers.length !== before.length) return [forbidden(path, 'pod updates may not add or remove containers')];
  return containers.flatMap(({ image = '' }, index) => [
    ...(image === '' ? [required(`${path}[${index}].image`)] : []),
    ...(image.trim() === image
      ? []
      : [invalid(`${path}[${index}].image`, image, 'must not have leading or trailing whitespace')]),
  ]);
}

function checkDeadline(seconds: number | undefined, before: number | undefined): Faults {
  const path = 'spec.activeDeadlineSeconds';
  if (seconds === undefined) {
    return before === undefined ? [] : [invalid(path, null, 'must not update from a positive integer to nil value')];
  }
  const range = checkRange(path, seconds, 0, INT32_MAX);
  if (range.length > 0 || before === undefined || before >= seconds) return range;
  return [invalid(path, seconds, 'must be less than or equal to previous value')];
}

/** Tolerations are only added; of the old ones only the time may change. */
function checkAddedTolerations(tolerations: readonly Toleration[], before: readonly Toleration[]): Faults {
  const isKept = (old: Toleration): boolean =>
    tolerations.some((toleration) => sameValue(withoutSeconds(toleration), withoutSeconds(old)));
  return before.every(isKept)
    ? checkTolerations(tolerations, 'spec.tolerations')
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
}

function withoutSeconds(toleration: Toleration): Omit<Toleration, 'tolerationSeconds'> {
  const { tolerationSeconds: _seconds, ...rest } = toleration;
  return rest;
}

function checkRemovedGates(spec: PodSpec, before: PodSpec): Faults {
  const old = new Set((before.schedulingGates ?? []).map(({ name }) => name));
  return (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    old.has(name)
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
}

const isGated = (spec: PodSpec): boolean => (spec.schedulingGates ?? []).length > 0;

/** While a pod is held by gates, its node selector may become narrower. */
function checkGatedSelector(spec: PodSpec, before: PodSpec): Faults {
  if (!isGated(before)) return [];
  const { nodeSelector = {} } = spec;
  const lost = Object.entries(before.nodeSelector ?? {}).filter(([key, value]) => nodeSelector[key] !== value);
  return lost.length === 0
    ? []
    : [
        invalid(
          'spec.nodeSelector',
          nodeSelector,
          'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
        ),
      ];
}

function checkFixed(spec: PodSpec, before: PodSpec): Faults {
  const now = fixedPart(spec, before);
  const then = fixedPart(before, before);
  return sameValue(now, then)
    ? []
    : [forbidden('spec', `pod updates may not change fields other than ${UPDATABLE}\n${difference(then, now)}`)];
}

/** The spec without what may change, so that two of them are equal iff nothing else did. */
function fixedPart(spec: PodSpec, before: PodSpec): Readonly<Record<string, unknown>> {
  const { activeDeadlineSeconds: _deadline, schedulingGates: _gates, tolerations: _tolerations, ...rest } = spec;
  const grace = before.terminationGracePeriodSeconds ?? 0;
  const isMended = grace < 0 && spec.terminationGracePeriodSeconds === 1;
  const { nodeSelector, affinity, ...ungated } = rest;
  return {
    ...ungated,
    ...(isGated(before) ? { affinity: withoutNodeAffinity(affinity) } : { nodeSelector, affinity }),
    containers: spec.containers.map(withoutImage),
    initContainers: (spec.initContainers ?? []).map(withoutImage),
    ...(isMended ? { terminationGracePeriodSeconds: grace } : {}),
  };
}

function withoutImage(container: Container): Omit<Container, 'image'> {
  const { image: _image, ...rest } = container;
  return rest;
}

function withoutNodeAffinity(affinity: PodSpec['affinity']): PodSpec['affinity'] {
  if (affinity === undefined) return undefined;
  const { nodeAffinity: _free, ...rest } = affinity;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/** Ephemeral containers are only added. */
export function checkEphemeralChange(pod: Pod, before: Pod): Faults {
  const path = 'spec.ephemeralContainers';
  const now = new Map((pod.spec.ephemeralContainers ?? []).map((container) => [container.name, container]));
  return (before.spec.ephemeralContainers ?? []).flatMap((old) => {
    const container = now.get(old.name);
    const named = `existing ephemeral containers ${JSON.stringify(old.name)} may not be`;
    if (container === undefined) return [forbidden(path, `${named} removed\n`)];
    return sameValue(container, old) ? [] : [forbidden(path, `${named} changed\n${difference(old, container)}`)];
  });
}
