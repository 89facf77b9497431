// Which rules a value breaks, rule by rule and part by part.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  invalidWithoutValue,
  required,
} from '../../kube/field-error.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { JsonSchema, ValidationRule } from '../../kube/resources/json-schema-props.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import { type Old, oldMember } from './correlation.ts';
import { additionalOf, itemsOf, propertiesOf, schemasIn } from './json-schema.ts';
import { type Expression, type RuleEngine, RuleError } from './rule-engine.ts';

/** kubernetes:staging/src/k8s.io/apiserver/pkg/apis/cel/config.go */
const MESSAGE_BYTES_MAX = 5 * 1024;
const NOWHERE = '<nil>';

interface CompiledRule {
  readonly rule: ValidationRule;
  /** An Error where the rule cannot be compiled. */
  readonly expression: Expression | RuleError;
  readonly message: Expression | undefined;
}

/** The rules of a schema and of what is below it; a part without any is undefined. */
interface RuleTree {
  readonly schema: JsonSchema;
  readonly rules: readonly CompiledRule[];
  readonly items: RuleTree | undefined;
  readonly additional: RuleTree | undefined;
  readonly properties: ReadonlyMap<string, RuleTree>;
}

/** What changed, and whether it is known which old value a new one replaces. */
interface Place {
  readonly path: string;
  readonly old: Old;
  /** Nothing at or around this value changed: what was accepted before is not judged again. */
  readonly isUnchanged: boolean;
}

/** The rules of one version of a kind, compiled once. Undefined where it has none. */
export function compiledRules(schema: JsonSchema, engine: RuleEngine | undefined): RuleTree | undefined {
  return hasRules(schema) ? treeOf(schema, engine, true) : undefined;
}

const hasRules = (schema: JsonSchema): boolean =>
  [...schemasIn(schema)].some((each) => (each['x-kubernetes-validations']?.length ?? 0) > 0);

function treeOf(schema: JsonSchema, engine: RuleEngine | undefined, isRoot: boolean): RuleTree | undefined {
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const properties = new Map<string, RuleTree>();
  for (const [name, property] of propertiesOf(schema)) {
    const tree = treeOf(property, engine, false);
    if (tree !== undefined) properties.set(name, tree);
  }
  const isObject = isRoot || schema['x-kubernetes-embedded-resource'] === true;
  const tree: RuleTree = {
    schema,
    rules: (schema['x-kubernetes-validations'] ?? []).map((rule) => compiledRule(rule, schema, isObject, engine)),
    items: items === undefined ? undefined : treeOf(items, engine, false),
    additional: additional === undefined ? undefined : treeOf(additional, engine, false),
    properties,
  };
  const isEmpty =
    tree.rules.length === 0 && tree.items === undefined && tree.additional === undefined && properties.size === 0;
  return isEmpty ? undefined : tree;
}

/** One rule with its message. A server without the language has no compiled rule, and every value breaks it. */
export function compiledRule(
  rule: ValidationRule,
  schema: JsonSchema,
  isObject: boolean,
  engine: RuleEngine | undefined,
): CompiledRule {
  const scope = { schema, isObject, hasOptionalOld: rule.optionalOldSelf === true };
  const compile = (text: string): Expression => {
    if (engine === undefined) throw new RuleError('this server cannot check rules');
    return engine.compile(text, scope);
  };
  const attempt = (text: string): Expression | RuleError => {
    try {
      return compile(text);
    } catch (error) {
      if (error instanceof RuleError) return error;
      throw error;
    }
  };
  const { messageExpression = '' } = rule;
  const message = messageExpression === '' ? undefined : attempt(messageExpression);
  return { rule, expression: attempt(rule.rule), message: message instanceof RuleError ? undefined : message };
}

export function ruleFaults(tree: RuleTree, value: unknown, old: Old): readonly FieldError[] {
  return walk(tree, value, { path: '', old, isUnchanged: old !== undefined && sameValue(old.value, value) });
}

function walk(tree: RuleTree | undefined, value: unknown, place: Place): readonly FieldError[] {
  if (tree === undefined || value === null || value === undefined) return [];
  const own = tree.rules.flatMap((rule) => broken(rule, tree.schema, value, place));
  if (Array.isArray(value)) return [...own, ...inList(tree, value as readonly unknown[], place)];
  return isJsonObject(value) ? [...own, ...inObject(tree, value, place)] : own;
}

function inList({ items, schema }: RuleTree, list: readonly unknown[], place: Place): readonly FieldError[] {
  return list.flatMap((member, index) => {
    const old = oldMember(place.old, member, schema);
    return walk(items, member, step(place, `${place.path}[${index}]`, member, old));
  });
}

function inObject(tree: RuleTree, object: Readonly<Record<string, unknown>>, place: Place): readonly FieldError[] {
  const before = place.old?.value;
  return Object.entries(object).flatMap(([name, field]) => {
    const named = tree.properties.get(name);
    const path = named === undefined ? `${place.path}[${name}]` : joined(place.path, name);
    const old = isJsonObject(before) && Object.hasOwn(before, name) ? { value: before[name] } : undefined;
    const isDeclared = tree.schema.properties !== undefined && Object.hasOwn(tree.schema.properties, name);
    return walk(named ?? (isDeclared ? undefined : tree.additional), field, step(place, path, field, old));
  });
}

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Where it is not known what a value replaces, it did not change if nothing around it did. */
const step = (from: Place, path: string, value: unknown, old: Old): Place => ({
  path,
  old,
  isUnchanged: old === undefined ? from.isUnchanged : sameValue(old.value, value),
});

function broken(
  { rule, expression, message }: CompiledRule,
  schema: JsonSchema,
  value: unknown,
  place: Place,
): readonly FieldError[] {
  const path = place.path === '' ? NOWHERE : place.path;
  const { type = '' } = schema;
  if (expression instanceof RuleError) return [invalid(path, type, `rule compile error: ${expression.message}`)];
  const old = place.old?.value === null ? undefined : place.old;
  if (expression.usesOldSelf && old === undefined && rule.optionalOldSelf !== true) return [];
  try {
    if (expression.evaluate(value, old) === true) return [];
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    return [invalid(path, type, `${error.message} evaluating rule: ${ruleName(rule)}`)];
  }
  if (!expression.usesOldSelf && place.isUnchanged) return [];
  const { fieldPath = '' } = rule;
  const at = fieldPath === '' ? path : joined(place.path, fieldPath.replace(/^\./, ''));
  return [faultFor(rule, at, isComposite(schema) ? undefined : { value }, detailOf(rule, message, value, old))];
}

const isComposite = ({ type }: JsonSchema): boolean => type === 'object' || type === 'array';

const ruleName = ({ message = '', rule }: ValidationRule): string => (message === '' ? rule : message).trim();

/** What the rule says of itself: by its expression, by its text, or by itself. */
function detailOf(rule: ValidationRule, message: Expression | undefined, value: unknown, old: Old): string {
  const told = message === undefined ? undefined : evaluatedMessage(message, value, old);
  return told ?? ((rule.message ?? '') === '' ? `failed rule: ${ruleName(rule)}` : ruleName(rule));
}

function evaluatedMessage(message: Expression, value: unknown, old: Old): string | undefined {
  try {
    const text = message.evaluate(value, old);
    const trimmed = typeof text === 'string' ? text.trim() : '';
    return trimmed === '' || trimmed.includes('\n') || trimmed.length > MESSAGE_BYTES_MAX ? undefined : trimmed;
  } catch (error) {
    if (error instanceof RuleError) return undefined;
    throw error;
  }
}

function faultFor({ reason }: ValidationRule, path: string, shown: Old, detail: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail);
    case 'FieldValueRequired':
      return required(path, detail);
    case 'FieldValueDuplicate':
      return duplicate(path, shown?.value);
    default:
      return shown === undefined ? invalidWithoutValue(path, detail) : invalid(path, shown.value, detail);
  }
}
