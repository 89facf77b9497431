// What a service gets from the server. Cluster addresses are not allocated from a table: each service gets the address that
// its uid leads to, which is the same after every restart.
// kubernetes:pkg/registry/core/service/storage/{storage,alloc}.go
import { StatusError, invalid } from '../../kube/api-error.ts';
import { type Service, type ServiceSpec, Services } from '../../kube/resources/service.ts';
import { sameValue } from './semantic-equal.ts';
import { withFamilies } from './service-families.ts';
import { hashOf } from './service-hash.ts';
import { withNodePorts } from './service-node-ports.ts';
import { hasAddress } from './service-traits.ts';
import type { StrategyContext } from './strategy.ts';

export function allocateForService(
  service: Service,
  before: Service | undefined,
  { dryRun = false }: StrategyContext,
): Service | StatusError {
  const old = before?.spec;
  const { name } = service.metadata;
  const { spec: asked, faults } = withFamilies(meantBy(service.spec, old), old);
  if (faults.length > 0) return invalid(Services, name, faults);
  const uid = before?.metadata.uid ?? service.metadata.uid;
  const spec = withNodePorts(withAddress(asked, uid), old, { name, uid, dryRun });
  return spec instanceof StatusError ? spec : { ...service, spec };
}

/** Clients may know the one address only or the list too, and leave out either when they change something else. */
function meantBy(spec: ServiceSpec, before: ServiceSpec | undefined): ServiceSpec {
  const { clusterIP: given = '', clusterIPs: list = [] } = spec;
  if (before === undefined) return { ...spec, clusterIPs: list.length === 0 ? listOf(given) : list };
  const keeps = hasAddress(before) && hasAddress(spec);
  const { clusterIP: oldFirst = '', clusterIPs: oldList = [] } = before;
  const clusterIP = given === '' && keeps ? oldFirst : given;
  const clusterIPs = list.length === 0 && (keeps || clusterIP === oldFirst) ? oldList : list;
  const followsFirst = clusterIP !== oldFirst && sameValue(clusterIPs, oldList);
  return { ...spec, clusterIP, clusterIPs: followsFirst ? listOf(clusterIP) : clusterIPs };
}

const listOf = (clusterIP: string): readonly string[] => (clusterIP === '' ? [] : [clusterIP]);

function withAddress(spec: ServiceSpec, uid: string): ServiceSpec {
  if (!hasAddress(spec) || (spec.clusterIPs ?? []).length > 0) return spec;
  const clusterIP = addressOf(uid);
  return { ...spec, clusterIP, clusterIPs: [clusterIP] };
}

/** An address in 10.96.0.0/12, the range that clusters commonly give their services, without its first and last block. */
function addressOf(uid: string): string {
  const hash = hashOf(uid);
  const [second, third, fourth] = [96 + (hash & 0xf), (hash >>> 4) & 0xff, 1 + ((hash >>> 12) % 254)];
  return `10.${second}.${third}.${fourth}`;
}
