// The containers of a pod with their places, in the order in which upstream visits them.
// kubernetes:pkg/apis/core/pods/helpers.go
import type { Container, EphemeralContainer } from '../../kube/resources/container.ts';
import type { PodSpec } from '../../kube/resources/pod-spec.ts';

export interface PlacedContainer {
  readonly path: string;
  readonly container: Container | EphemeralContainer;
}

export function containersOf(spec: PodSpec, path: string): readonly PlacedContainer[] {
  const placed = (list: string, containers: readonly PlacedContainer['container'][]): readonly PlacedContainer[] =>
    containers.map((container, index) => ({ path: `${path}.${list}[${index}]`, container }));
  return [
    ...placed('initContainers', spec.initContainers ?? []),
    ...placed('containers', spec.containers),
    ...placed('ephemeralContainers', spec.ephemeralContainers ?? []),
  ];
}
