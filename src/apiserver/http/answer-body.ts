// The bytes of an answer, in the form that was negotiated: the object or list itself, its metadata alone, or a table.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go
import { stringify } from 'yaml';
import type { InstantMs } from '../../base/clock.ts';
import { StatusError, toStatus } from '../../kube/api-error.ts';
import type { ObjectList, WatchEvent } from '../../kube/cluster.ts';
import { type KubeObject, apiVersionOf } from '../../kube/object.ts';
import type { ApiAnswer } from '../api-request.ts';
import type { Column } from '../tables/printer.ts';
import { printerOf } from '../tables/tables.ts';
import { bookmarkObject } from './bookmark.ts';
import type { EncodedObjects } from './encoded-objects.ts';
import { type Conversion, JSON_TYPE, type OutputForm } from './media-type.ts';
import type { IncludeObject } from './query-options.ts';
import type { ServedApi } from './served-apis.ts';

type KindFacts = Pick<ServedApi, 'group' | 'version' | 'kind' | 'isCustom' | 'resource' | 'defined'>;

/** How answers about one kind are written to one client. */
export interface View {
  readonly api: KindFacts;
  readonly form: OutputForm;
  readonly includeObject: IncludeObject;
  readonly now: InstantMs;
  readonly encoded: EncodedObjects;
}

export function bodyOf(answer: ApiAnswer, view: View): Uint8Array {
  switch (answer.type) {
    case 'status':
      return inForm(view.form, Buffer.from(`${JSON.stringify(answer.status)}\n`));
    case 'object':
      return inForm(view.form, objectBytes(answer.object, view));
    case 'list':
      return inForm(view.form, listBytes(answer.list, view));
  }
}

/** Compact JSON is what everything is written in first; the other forms are for people and made from it. */
export function inForm({ mediaType, isPretty }: OutputForm, json: Uint8Array): Uint8Array {
  if (mediaType === JSON_TYPE && !isPretty) return json;
  const value = JSON.parse(Buffer.from(json).toString('utf8')) as unknown;
  if (mediaType === JSON_TYPE) return Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`);
  return Buffer.from(
    stringify(value, { version: '1.1', sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 }),
  );
}

function objectBytes(object: KubeObject, view: View): Buffer {
  const { as } = view.form;
  switch (as?.kind) {
    case undefined:
      return Buffer.concat([view.encoded.whole(object), LINE_END]);
    case 'Table':
      return Buffer.from(`${tableText([object], { resourceVersion: object.metadata.resourceVersion }, view, true)}\n`);
    case 'PartialObjectMetadata':
      return Buffer.from(`${partialText(object, as, view)}\n`);
    case 'PartialObjectMetadataList':
      throw wrongShape(
        `you requested PartialObjectMetadataList, but the requested object is not a list (*core.${view.api.kind})`,
      );
  }
}

const LINE_END = Buffer.from('\n');

function listBytes({ items, ...about }: ObjectList<KubeObject>, view: View): Buffer {
  const { as } = view.form;
  const { kind, isCustom, defined } = view.api;
  switch (as?.kind) {
    case undefined: {
      // Lists of kinds that clients define always say how they go on.
      const metadata = JSON.stringify(defined === undefined ? about : { continue: '', ...about });
      const listKind = defined?.listKind ?? `${kind}List`;
      const head = `{"kind":"${listKind}","apiVersion":"${apiVersionOf(view.api)}","metadata":${metadata},"items":[`;
      return view.encoded.list(head, items, { isCustom });
    }
    case 'Table':
      return Buffer.from(`${tableText(items, about, view, true)}\n`);
    case 'PartialObjectMetadata':
      throw wrongShape(`you requested PartialObjectMetadata, but the requested object is a list (*core.${kind}List)`);
    case 'PartialObjectMetadataList': {
      const members = items.map((item) => partialText(item, as, view)).join(',');
      const head = `{"kind":"PartialObjectMetadataList","apiVersion":"${metaVersion(as)}"`;
      return Buffer.from(`${head},"metadata":${JSON.stringify(about)},"items":[${members}]}\n`);
    }
  }
}

const metaVersion = ({ version }: Conversion): string => `meta.k8s.io/${version}`;

const wrongShape = (message: string): StatusError => new StatusError({ code: 406, reason: 'NotAcceptable', message });

function partialText(object: KubeObject, as: Conversion, { encoded }: View): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"${metaVersion(as)}","metadata":${encoded.metadata(object)}}`;
}

/** A watch tells the columns with its first event only. */
function tableText(items: readonly KubeObject[], about: object, view: View, withColumns: boolean): string {
  const as: Conversion = view.form.as ?? { kind: 'Table', version: 'v1' };
  const { kind } = items[0] ?? view.api;
  const apiVersion = items[0]?.apiVersion ?? apiVersionOf(view.api);
  const printer = view.api.defined?.printer ?? printerOf({ apiVersion, kind });
  const rows = items.map((item) => {
    const cells = JSON.stringify(printer.cells(item, view.now));
    const conditions = printer.conditions?.(item) ?? [];
    const told = conditions.length === 0 ? '' : `"conditions":${JSON.stringify(conditions)},`;
    return `{"cells":${cells},${told}"object":${rowObject(item, as, view)}}`;
  });
  const columns = withColumns ? JSON.stringify(printer.columns.map(columnDefinition)) : 'null';
  const head = `{"kind":"Table","apiVersion":"${metaVersion(as)}","metadata":${JSON.stringify(about)}`;
  return `${head},"columnDefinitions":${columns},"rows":[${rows.join(',')}]}`;
}

const columnDefinition = ({ name, type, format, priority, description = '' }: Column): object => ({
  name,
  type,
  format,
  description,
  priority,
});

function rowObject(item: KubeObject, as: Conversion, view: View): string {
  switch (view.includeObject) {
    case 'None':
      return 'null';
    case 'Object':
      return view.encoded.whole(item).toString('utf8');
    case 'Metadata':
      return partialText(item, as, view);
  }
}

/** One line of a watch. `isFirst`: no event was sent on this watch before. */
export function eventLine(event: WatchEvent<KubeObject>, view: View, isFirst: boolean): Uint8Array {
  switch (event.type) {
    case 'ERROR':
      return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(toStatus(event.error))}}\n`);
    case 'BOOKMARK':
      return lineOf(
        'BOOKMARK',
        convertedText(bookmarkObject(event, view.api), { ...view, includeObject: 'Metadata' }, isFirst),
      );
    default:
      if (view.form.as === undefined) return view.encoded.event(event);
      return lineOf(event.type, convertedText(event.object, view, isFirst));
  }
}

const lineOf = (type: string, object: string): Buffer => Buffer.from(`{"type":"${type}","object":${object}}\n`);

function convertedText(object: KubeObject, view: View, isFirst: boolean): string {
  const { as } = view.form;
  if (as === undefined) return JSON.stringify(object);
  if (as.kind !== 'Table') return partialText(object, as, view);
  return tableText([object], { resourceVersion: object.metadata.resourceVersion }, view, isFirst);
}
