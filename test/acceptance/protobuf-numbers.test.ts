// Every field of every built-in kind against the published declarations of Kubernetes, where Go's module cache holds them.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DeleteOptionsSchema } from '../../src/apiserver/http/delete-options.ts';
import { EvictionSchema } from '../../src/kube/resources/eviction.ts';
import { ScaleSchema } from '../../src/kube/resources/scale.ts';
import { builtInSchema } from '../../src/kube/schema-table-messages.ts';
import { BUILT_IN_RESOURCES } from '../../src/kube/schema-table.ts';
import type { FieldType, MessageSchema } from '../../src/kube/schema.ts';

const VERSION = 'v0.36.3';
const MODULES = ['api', 'apimachinery', 'apiextensions-apiserver', 'kube-aggregator'];
const folders = modulesIn();

function modulesIn(): readonly string[] {
  try {
    const cache = execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim();
    return MODULES.map((module) => path.join(cache, 'k8s.io', `${module}@${VERSION}`));
  } catch {
    return [];
  }
}
const isThere = folders.length > 0 && folders.every((folder) => existsSync(folder));
if (!isThere) process.stderr.write(`SKIPPED: protobuf numbers: no k8s.io modules ${VERSION} in Go's module cache\n`);

/** The declarations name some fields as Go does: `aPIGroup`, `Webhooks`, `xKubernetesListType`. */
const bare = (name: string): string => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase();

/** Numbers by message in OpenAPI's name and field. */
function published(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const found = new Map<string, Map<string, number>>();
  for (const folder of folders)
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('generated.proto')) readDeclarations(readFileSync(path.join(folder, file), 'utf8'), found);
  return found;
}

function readDeclarations(text: string, into: Map<string, Map<string, number>>): void {
  const home = (/^package (.*);$/m.exec(text)?.[1] ?? '').replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
  let fields: Map<string, number> | undefined;
  for (const line of text.split('\n')) {
    const name = /^message (\w+) \{/.exec(line)?.[1];
    if (name !== undefined) into.set(`${home}.${name}`, (fields = new Map()));
    const [, field, number] = /^ {2}(?:optional|repeated|map<).* (\w+) = (\d+)/.exec(line) ?? [];
    if (field !== undefined) fields?.set(bare(field), Number(number));
  }
}

/** `via` numbers are those of the embedded message, which has a field of its own name in the declaration. */
function faultsOf(schema: MessageSchema, numbers: ReadonlyMap<string, number>): readonly string[] {
  return Object.entries(schema.fields).flatMap(([name, { tag, via }]) => {
    if (via !== undefined) return [...numbers.values()].includes(via) ? [] : [`${schema.name}.${name} via ${via}`];
    const number = numbers.get(bare(name));
    return number === tag ? [] : [`${schema.name}.${name} = ${tag}, published ${number}`];
  });
}

// skipped: without the published declarations there is nothing to compare with
describe.skipIf(!isThere)('protobuf numbers', () => {
  test('P-PB-2 every message that a built-in kind reaches -> the numbers of the published declarations', () => {
    const declarations = published();
    const seen = new Map<string, MessageSchema>();
    const walk = (schema: MessageSchema): void => {
      if (seen.get(schema.name) === schema) return;
      seen.set(schema.name, schema);
      for (const { of } of Object.values(schema.fields)) walkType(of);
    };
    const walkType = (type: FieldType): void => {
      if (type.type === 'message') walk(type.message);
      else if (type.type === 'list' || type.type === 'map') walkType(type.of);
    };
    const missing = BUILT_IN_RESOURCES.filter((kind) => builtInSchema(kind) === undefined);
    for (const kind of BUILT_IN_RESOURCES) {
      const schema = builtInSchema(kind);
      if (schema !== undefined) walk(schema);
    }
    for (const schema of [DeleteOptionsSchema, EvictionSchema, ScaleSchema]) walk(schema);
    const faults = [...seen.values()].flatMap((schema) => {
      const numbers = declarations.get(schema.name);
      return numbers === undefined ? [`${schema.name} is not published`] : faultsOf(schema, numbers);
    });
    expect(missing.map(({ kind }) => kind)).toEqual([]);
    expect(faults).toEqual([]);
    expect(seen.size).toBeGreaterThan(300);
  });
});
