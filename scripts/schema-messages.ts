// Writes src/kube/schema-table-messages.json: the fields of every built-in kind that has no declaration by hand, as facts from
// the struct tags of the published Go modules (in Go's module cache). Run it when the version of Kubernetes moves:
//
//   node scripts/run.mjs scripts/schema-messages.ts
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { declaredMessages } from '../src/kube/schema-table-messages.ts';
import { BUILT_IN_RESOURCES } from '../src/kube/schema-table.ts';

const VERSION = 'v0.36.3';
const OUT = 'src/kube/schema-table-messages.json';
const MODULES = path.join(execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8' }).trim(), 'k8s.io');

interface GoField {
  readonly type: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly notes: string;
}
interface GoStruct {
  readonly notes: string;
  readonly fields: readonly GoField[];
}
/** A directory of Go files, and how OpenAPI names what is in it. */
interface GoPackage {
  readonly directory: string;
  readonly prefix: string;
  readonly structs: Map<string, GoStruct>;
  readonly named: Map<string, string>;
}

const packages = new Map<string, GoPackage>();

function packageOf(directory: string, prefix: string): GoPackage {
  const known = packages.get(directory);
  if (known !== undefined) return known;
  const made: GoPackage = { directory, prefix, structs: new Map(), named: new Map() };
  packages.set(directory, made);
  const at = path.join(MODULES, directory);
  for (const file of readdirSync(at).filter((name) => /^types.*\.go$/.test(name))) {
    read(made, readFileSync(path.join(at, file), 'utf8'));
  }
  return made;
}

function read({ structs, named }: GoPackage, text: string): void {
  for (const [, name = '', type = ''] of text.matchAll(/^type (\w+) ([\w.]+|map\[\w+\][\w.]+|\[\][\w.]+)$/gm))
    named.set(name, type);
  for (const [, notes = '', name = '', body = ''] of text.matchAll(
    /((?:^\/\/[^\n]*\n)*)^type (\w+) struct ?\{(?:\}|\n(.*?)^\})$/gms,
  ))
    structs.set(name, { notes, fields: fieldsIn(body) });
}

function fieldsIn(body: string): readonly GoField[] {
  const fields: GoField[] = [];
  let notes = '';
  for (const line of body.split('\n').map((each) => each.trim())) {
    const [, type, tags = ''] = /^(?:\w+\s+)?(\*?(?:\[\]|map\[[\w.]+\])?\*?[\w.]+)\s+`(.*)`/.exec(line) ?? [];
    if (type !== undefined)
      fields.push({
        type,
        notes,
        tags: Object.fromEntries(
          [...tags.matchAll(/(\w+):"([^"]*)"/g)].map((m): [string, string] => [m[1] ?? '', m[2] ?? '']),
        ),
      });
    notes = line.startsWith('//') ? `${notes}${line}\n` : line === '' ? notes : '';
  }
  return fields;
}

const META = (): GoPackage =>
  packageOf(`apimachinery@${VERSION}/pkg/apis/meta/v1`, 'io.k8s.apimachinery.pkg.apis.meta.v1');
const OF_GROUP: Readonly<Record<string, string>> = { '': 'core', 'rbac.authorization.k8s.io': 'rbac' };

function groupPackage(group: string, version: string): GoPackage {
  const word = OF_GROUP[group] ?? group.split('.')[0] ?? '';
  if (word === 'apiregistration')
    return packageOf(
      `kube-aggregator@${VERSION}/pkg/apis/${word}/${version}`,
      `io.k8s.kube-aggregator.pkg.apis.${word}.${version}`,
    );
  if (word === 'apiextensions')
    return packageOf(
      `apiextensions-apiserver@${VERSION}/pkg/apis/${word}/${version}`,
      `io.k8s.apiextensions-apiserver.pkg.apis.${word}.${version}`,
    );
  return packageOf(`api@${VERSION}/${word}/${version}`, `io.k8s.api.${word}.${version}`);
}

const SCALARS: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'bool',
  int: 'int64',
  int32: 'int32',
  int64: 'int64',
  uint8: 'int32',
  float64: 'double',
  'resource.Quantity': 'quantity',
  'intstr.IntOrString': 'intOrString',
  'runtime.RawExtension': 'raw',
  'metav1.Time': 'time',
  'metav1.MicroTime': 'microTime',
  'metav1.Duration': 'duration',
  'metav1.FieldsV1': 'fieldsV1',
  // Types with a JSON form of their own.
  JSON: 'raw',
  JSONSchemaPropsOrArray: 'raw',
  JSONSchemaPropsOrBool: 'raw',
  JSONSchemaPropsOrStringArray: 'raw',
};

/** `string`, `list string`, `map quantity`, or the name of a message. */
function typeOf(pkg: GoPackage, go: string): string {
  const bare = go.replace(/^\*/, '');
  if (bare === '[]byte') return 'bytes';
  if (bare.startsWith('[]')) return `list ${typeOf(pkg, bare.slice(2))}`;
  const [, inMap] = /^map\[[\w.]+\](.*)$/.exec(bare) ?? [];
  if (inMap !== undefined) return `map ${typeOf(pkg, inMap)}`;
  const scalar = SCALARS[bare === 'Time' || bare === 'MicroTime' ? `metav1.${bare}` : bare];
  if (scalar !== undefined) return scalar;
  const [alias, name] = bare.includes('.') ? bare.split('.') : [undefined, bare];
  if (alias === 'types') return 'string';
  const home = alias === undefined ? pkg : alias === 'metav1' ? META() : groupPackage('', 'v1');
  return namedType(home, name ?? '');
}

function namedType(pkg: GoPackage, name: string): string {
  const other = pkg.named.get(name);
  if (other !== undefined) return typeOf(pkg, other);
  const message = `${pkg.prefix}.${name}`;
  if (!pkg.structs.has(name)) throw new Error(`no ${name} in ${pkg.directory}`);
  write(pkg, name);
  return message;
}

const isCollection = (type: string): boolean => /^(list|map) /.test(type);

/** When Go's encoder writes the field. */
function presenceOf(go: string, type: string, options: readonly string[]): string {
  const mayLack = options.includes('omitempty') || options.includes('omitzero');
  if (isCollection(type) || type === 'bytes') return mayLack ? 'omitempty' : 'nullable';
  if (go.startsWith('*')) return mayLack ? 'pointer' : 'nullable';
  if (type === 'time' || type === 'microTime') return options.includes('omitzero') ? 'omitempty' : 'nullable';
  if (type === 'raw') return mayLack ? 'pointer' : 'nullable';
  if (['fieldsV1', 'intOrString', 'quantity', 'duration'].includes(type)) return 'always';
  if (type.includes('.')) return options.includes('omitzero') ? 'omitempty' : 'always';
  return mayLack ? 'omitempty' : 'always';
}

function optionsOf(type: string, { tags, notes }: GoField): readonly string[] {
  const strategy = (tags['patchStrategy'] ?? '').split(',');
  const listType = /\+listType=(\w+)/.exec(notes)?.[1];
  const keys = [...notes.matchAll(/\+listMapKey=(\w+)/g)].map((match) => match[1] ?? '');
  const [, preset] = /\+default="(\w+)"/.exec(notes) ?? [];
  return [
    ...(strategy.includes('merge') ? [`merge=${tags['patchMergeKey'] ?? ''}`] : []),
    ...(strategy.includes('retainKeys') ? ['retainKeys'] : []),
    ...(listType === 'map' ? [`keys=${keys.join(',')}`] : listType === 'set' ? ['set'] : []),
    ...(/\+structType=atomic|\+mapType=atomic/.test(notes) ? ['atomic'] : []),
    ...(preset !== undefined && type === 'string' ? [`default=${preset}`] : []),
  ];
}

/** Messages in the order in which they are first met, fields in the order of their declaration. */
const messages: Record<string, Record<string, string>> = {};
const declared = declaredMessages();

function write(pkg: GoPackage, name: string): void {
  const message = `${pkg.prefix}.${name}`;
  if (message in messages || declared.has(message)) return;
  const fields: Record<string, string> = {};
  messages[message] = fields;
  const struct = pkg.structs.get(name);
  if (struct === undefined) throw new Error(`no ${name} in ${pkg.directory}`);
  if (struct.fields.some(({ type }) => type.endsWith('TypeMeta'))) fields[''] = 'object';
  else if (/\+structType=atomic/.test(struct.notes)) fields[''] = 'atomic';
  for (const field of struct.fields) {
    const [json = '', ...options] = (field.tags['json'] ?? '-').split(',');
    if (json === '-' || field.type.endsWith('TypeMeta')) continue;
    const tag = (field.tags['protobuf'] ?? '').split(',')[1] ?? '0';
    const type = typeOf(pkg, field.type);
    if (options.includes('inline')) fields[`...${type}`] = tag;
    else fields[json] = [tag, presenceOf(field.type, type, options), type, ...optionsOf(type, field)].join(' ');
  }
}

/** Kinds that are no resource of their own. */
const BELOW: readonly (readonly [group: string, version: string, kind: string])[] = [
  ['authentication.k8s.io', 'v1', 'TokenRequest'],
];

META();
const roots = [...BUILT_IN_RESOURCES.map(({ group, version, kind }) => [group, version, kind] as const), ...BELOW];
for (const [group, version, kind] of roots) write(groupPackage(group, version), kind);
writeFileSync(OUT, `${JSON.stringify(messages, null, 2)}\n`);
process.stdout.write(`${Object.keys(messages).length} messages\n`);
