// Kubernetes protobuf bodies, read into the JSON they stand for. A body is four bytes of mark, then an envelope that names the
// kind, then the object. Field numbers and the special scalars come from the same schemas as everything else about a kind.
// kubernetes:staging/src/k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go
import { WireError } from '../../grpc/wire-error.ts';
import { WireReader } from '../../grpc/wire-reader.ts';
import { EvictionSchema } from '../../kube/resources/eviction.ts';
import { ScaleSchema } from '../../kube/resources/scale.ts';
import { builtInSchema } from '../../kube/schema-table-messages.ts';
import type { MessageSchema } from '../../kube/schema.ts';
import { DeleteOptionsSchema } from './delete-options.ts';
import { decodeMessage } from './protobuf-message.ts';
import { MalformedBody } from './request-body.ts';

const MARK = [0x6b, 0x38, 0x73, 0x00] as const;

/** Throws a MalformedBody, also for kinds that are not built in: only those have numbers for their fields. */
export function readProtobuf(bytes: Uint8Array): unknown {
  if (bytes.length === 0) throw new MalformedBody('empty data');
  if (MARK.some((byte, index) => bytes[index] !== byte))
    throw new MalformedBody(
      `provided data does not appear to be a protobuf message, expected prefix [${MARK.join(' ')}]`,
    );
  const { apiVersion, kind, raw } = recognized(undefined, () => readEnvelope(bytes.subarray(MARK.length)));
  const names = { apiVersion, kind };
  const schema = schemaOf(apiVersion, kind);
  if (schema === undefined)
    throw new MalformedBody(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
      '',
      names,
    );
  return recognized(names, () => ({ ...names, ...decodeMessage(schema, new WireReader(raw)) }));
}

interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const reader = new WireReader(bytes);
  let names = { apiVersion: '', kind: '' };
  let raw: Uint8Array = new Uint8Array();
  while (reader.next()) {
    if (reader.number === 1) names = readNames(reader.message());
    else if (reader.number === 2) raw = reader.bytes();
    else reader.skip();
  }
  if (names.kind === '') throw new WireError("Object 'Kind' is missing");
  return { ...names, raw };
}

function readNames(reader: WireReader): Omit<Envelope, 'raw'> {
  let [apiVersion, kind] = ['', ''];
  while (reader.next()) {
    if (reader.number === 1) apiVersion = reader.string();
    else if (reader.number === 2) kind = reader.string();
    else reader.skip();
  }
  return { apiVersion, kind };
}

/** Options belong to every group version; scales and evictions are kinds of subresources. */
function schemaOf(apiVersion: string, kind: string): MessageSchema | undefined {
  if (kind === 'DeleteOptions') return DeleteOptionsSchema;
  if (apiVersion === 'autoscaling/v1' && kind === 'Scale') return ScaleSchema;
  if (apiVersion === 'policy/v1' && kind === 'Eviction') return EvictionSchema;
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return builtInSchema({ group, version, kind });
}

function recognized<T>(names: MalformedBody['names'], read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof WireError) throw new MalformedBody(`proto: ${error.message}`, '', names);
    throw error;
  }
}
