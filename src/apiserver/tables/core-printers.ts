// Tables of the small kinds of the core group.
import type { KubeObject } from '../../kube/object.ts';
import type { Service } from '../../kube/resources/service.ts';
import { ageOf } from './age.ts';
import { labelsText, shortList } from './cell-text.ts';
import { at, listAt, numberAt, textAt, textsAt } from './field.ts';
import { AGE, NAME, type Printer, text, wideText } from './printer.ts';

const age = ({ metadata }: KubeObject, now: number): string => ageOf(metadata.creationTimestamp, now);
const countAt = (object: KubeObject, path: string): number => Object.keys(textsAt(object, path)).length;

/** Nothing but a name and an age. */
export const plainPrinter: Printer = {
  columns: [NAME, AGE],
  cells: (object, now) => [object.metadata.name, age(object, now)],
};

export const namespacePrinter: Printer = {
  columns: [NAME, text('Status'), AGE],
  cells: (namespace, now) => [namespace.metadata.name, textAt(namespace, 'status.phase'), age(namespace, now)],
};

export const configMapPrinter: Printer = {
  columns: [NAME, text('Data'), AGE],
  cells: (map, now) => [map.metadata.name, countAt(map, 'data') + countAt(map, 'binaryData'), age(map, now)],
};

export const secretPrinter: Printer = {
  columns: [NAME, text('Type'), text('Data'), AGE],
  cells: (secret, now) => [secret.metadata.name, textAt(secret, 'type'), countAt(secret, 'data'), age(secret, now)],
};

export const servicePrinter: Printer<Service> = {
  columns: [NAME, ...['Type', 'Cluster-IP', 'External-IP', 'Port(s)'].map(text), AGE, wideText('Selector')],
  cells: (service, now) => {
    const { clusterIPs = [], ports = [], selector, type = '' } = service.spec;
    const portTexts = ports.map(({ port, nodePort = 0, protocol }) =>
      nodePort > 0 ? `${port}:${nodePort}/${protocol ?? ''}` : `${port}/${protocol ?? ''}`,
    );
    return [
      service.metadata.name,
      type,
      clusterIPs[0] ?? '<none>',
      externalAddress(service),
      portTexts.join(',') || '<none>',
      age(service, now),
      labelsText(selector),
    ];
  },
};

function externalAddress({ spec, status }: Service): string {
  const { externalIPs = [], externalName = '' } = spec;
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIPs.join(',') || '<none>';
    case 'LoadBalancer':
      return [...loadBalancers(status), ...externalIPs].join(',') || '<pending>';
    case 'ExternalName':
      return externalName;
    default:
      return '<unknown>';
  }
}

/** Addresses or names, each once. */
export function loadBalancers(status: unknown): readonly string[] {
  const addresses = listAt(status, 'loadBalancer.ingress').map(
    (each) => textAt(each, 'ip') || textAt(each, 'hostname'),
  );
  return [...new Set(addresses.filter((address) => address !== ''))].toSorted();
}

export const endpointsPrinter: Printer = {
  columns: [NAME, text('Endpoints'), AGE],
  cells: (endpoints, now) => {
    const subsets = listAt(endpoints, 'subsets');
    const shown = subsets.length === 0 ? '<none>' : shortList(subsets.flatMap(addressesOf), '');
    return [endpoints.metadata.name, shown, age(endpoints, now)];
  },
};

function addressesOf(subset: unknown): readonly string[] {
  const addresses = listAt(subset, 'addresses').map((each) => textAt(each, 'ip'));
  const ports = listAt(subset, 'ports');
  if (ports.length === 0) return addresses;
  const withPort = (address: string, port: unknown): string =>
    `${address.includes(':') ? `[${address}]` : address}:${numberAt(port, 'port')}`;
  return ports.flatMap((port) => addresses.map((address) => withPort(address, port)));
}

export const resourceQuotaPrinter: Printer = {
  columns: [NAME, text('Request'), text('Limit'), AGE],
  cells: (quota, now) => {
    const [hard, used] = [textsAt(quota, 'status.hard'), textsAt(quota, 'status.used')];
    const names = Object.keys(hard).toSorted();
    const shown = (of: readonly string[]): string =>
      of.map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? ''}`).join(', ');
    const isLimit = (name: string): boolean => name.startsWith('limits.');
    return [
      quota.metadata.name,
      shown(names.filter((name) => !isLimit(name))),
      shown(names.filter(isLimit)),
      age(quota, now),
    ];
  },
};

export const componentStatusPrinter: Printer = {
  columns: [NAME, text('Status'), text('Message'), text('Error')],
  cells: (component) => {
    const healthy = listAt(component, 'conditions').find((each) => textAt(each, 'type') === 'Healthy');
    const word = healthy === undefined ? 'Unknown' : textAt(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy';
    return [component.metadata.name, word, textAt(healthy, 'message'), textAt(healthy, 'error')];
  },
};

/** The names that the fields of an event have in one of its two groups. */
interface EventFields {
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly source: string;
  readonly controller: string;
  readonly object: string;
  readonly message: string;
}

const eventPrinterFor = (fields: EventFields): Printer => ({
  columns: [
    ...['Last Seen', 'Type', 'Reason', 'Object'].map(text),
    ...['Subobject', 'Source'].map(wideText),
    text('Message'),
    ...['First Seen', 'Count'].map(wideText),
    { ...NAME, priority: 1 },
  ],
  cells: (event, now) => {
    const series = at(event, 'series') ?? undefined;
    const first = textAt(event, fields.first) || textAt(event, 'eventTime');
    const last = series === undefined ? textAt(event, fields.last) || first : textAt(series, 'lastObservedTime');
    return [
      ageOf(last, now),
      textAt(event, 'type'),
      textAt(event, 'reason'),
      objectText(at(event, fields.object)),
      textAt(event, `${fields.object}.fieldPath`),
      sourceText(event, fields),
      textAt(event, fields.message).trim(),
      ageOf(first, now),
      series === undefined ? numberAt(event, fields.count) || 1 : numberAt(series, 'count'),
      event.metadata.name,
    ];
  },
});

export const eventPrinter = eventPrinterFor({
  first: 'firstTimestamp',
  last: 'lastTimestamp',
  count: 'count',
  source: 'source',
  controller: 'reportingComponent',
  object: 'involvedObject',
  message: 'message',
});

export const seriesEventPrinter = eventPrinterFor({
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  source: 'deprecatedSource',
  controller: 'reportingController',
  object: 'regarding',
  message: 'note',
});

function objectText(object: unknown): string {
  const [kind, name] = [textAt(object, 'kind').toLowerCase(), textAt(object, 'name')];
  return name === '' ? kind : `${kind}/${name}`;
}

function sourceText(event: KubeObject, { source, controller }: EventFields): string {
  const component = textAt(event, `${source}.component`) || textAt(event, controller);
  const instance = textAt(event, `${source}.host`) || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}
