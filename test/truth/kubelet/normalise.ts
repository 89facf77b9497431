// Our texts and requests in the words of the recordings: proto names, empty fields left out, roots and uids as placeholders.
import type { CallRecord } from '../../kubelet/scripted-driver.ts';
import type { Stage } from './stage.ts';

export function normalise(text: string, replay: Stage): string {
  let result = text;
  for (const node of replay.bench.nodes.keys()) result = result.replaceAll(replay.rootOf(node), '<root>');
  for (const [name, made] of replay.pods) {
    for (const { metadata, spec } of made) {
      const placed = made.length > 1 ? `@${spec.nodeName ?? ''}` : '';
      result = result.replaceAll(metadata.uid, `<uid:${name}${placed}>`);
    }
  }
  return result;
}

/** The request of a call as protobuf's JSON would show it. */
export function requestOf(call: CallRecord, replay: Stage): unknown {
  const text = JSON.stringify(protoOf(call.request), (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return JSON.parse(normalise(text, replay)) as unknown;
}

function protoOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(protoOf);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([key, field]) => protoField(key, field));
  return Object.fromEntries(fields);
}

/** Map keys are data: only the names of fields are spelled anew. */
const MAPS: readonly string[] = ['publishContext', 'volumeContext', 'secrets'];

function protoField(key: string, field: unknown): readonly (readonly [string, unknown])[] {
  const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (key === 'accessType') return accessOf(field as { readonly case: string });
  if (key === 'accessMode') return [['access_mode', { mode: field }]];
  if (isEmpty(field)) return [];
  return [[name, MAPS.includes(key) ? field : protoOf(field)]];
}

function accessOf({ case: name, ...rest }: { readonly case: string }): readonly (readonly [string, unknown])[] {
  return [[name, protoOf(rest)]];
}

function isEmpty(value: unknown): boolean {
  if (value === '' || value === false || value === 0n || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
