// Rules of custom kinds in the Common Expression Language. The library is loaded when a server is started that serves
// definitions, by nobody else.
import type * as CelJs from '@marcbachmann/cel-js';
import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import type { JsonSchema } from '../../../kube/resources/json-schema-props.ts';
import type { Old } from '../../customresources/correlation.ts';
import { itemsOf, additionalOf, preserves } from '../../customresources/json-schema.ts';
import { type Expression, type RuleEngine, RuleError, type RuleScope } from '../../customresources/rule-engine.ts';
import { registerFunctions } from './cel-functions.ts';
import { type CelMakers, celValue, escapedName, scopeSchema } from './cel-values.ts';

type Library = Pick<typeof CelJs, 'Environment' | 'Optional'>;

/** kubernetes:staging/src/k8s.io/apiserver/pkg/apis/cel/config.go bounds the cost; here the size of an expression is bounded. */
const AST_NODES_MAX = 10_000;

export async function loadCel(): Promise<RuleEngine> {
  return new CelEngine(await import('@marcbachmann/cel-js'));
}

class CelEngine implements RuleEngine {
  readonly #environment: Environment;
  readonly #optional: (value: unknown) => unknown;
  readonly #makers: CelMakers;

  constructor({ Environment, Optional }: Library) {
    const options = {
      enableOptionalTypes: true,
      homogeneousAggregateLiterals: false,
      limits: { maxAstNodes: AST_NODES_MAX },
    };
    this.#environment = registerFunctions(new Environment(options))
      .registerVariable('self', 'dyn')
      .registerVariable('oldSelf', 'dyn');
    this.#optional = (value) => (value === undefined ? Optional.none() : Optional.of(value));
    const duration = new Environment(options).registerVariable('text', 'string').parse('duration(text)');
    this.#makers = {
      duration: (text) => {
        try {
          return duration({ text }) as unknown;
        } catch {
          return text;
        }
      },
    };
  }

  compile(expression: string, scope: RuleScope): Expression {
    const schema = scopeSchema(scope);
    const parsed = attempt(
      () => this.#environment.parse(expression),
      (message) => `ERROR: <input>:1:1: ${message}`,
    );
    const checked = parsed.check();
    if (!checked.valid) throw new RuleError(`ERROR: <input>:1:1: ${messageOf(checked.error)}`);
    const uses = { oldSelf: false };
    requireFields(parsed.ast, { schema, scope, expression, uses });
    const valueOf = (value: unknown): unknown => celValue(value, schema, this.#makers);
    return {
      usesOldSelf: uses.oldSelf,
      type: String(checked.type ?? 'dyn'),
      evaluate: (self, old) => {
        const before = oldValue(old, valueOf);
        const oldSelf = scope.hasOptionalOld ? this.#optional(before) : before;
        return attempt(() => parsed({ self: valueOf(self), oldSelf }) as unknown, lowered);
      },
    };
  }
}

const oldValue = (old: Old, valueOf: (value: unknown) => unknown): unknown =>
  old === undefined ? undefined : valueOf(old.value);

function attempt<T>(work: () => T, say: (message: string) => string): T {
  try {
    return work();
  } catch (error) {
    throw new RuleError(say(messageOf(error)));
  }
}

/** The first line says what, the others show where in the library's own way. */
const messageOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);

const lowered = (message: string): string => message.charAt(0).toLowerCase() + message.slice(1);

interface Check {
  readonly schema: JsonSchema;
  readonly scope: RuleScope;
  readonly expression: string;
  readonly uses: { oldSelf: boolean };
}

/** Fields that are reached from `self` must be declared; what a macro names is only known when it runs. */
function requireFields(node: unknown, check: Check): void {
  if (Array.isArray(node)) {
    for (const each of node) requireFields(each, check);
    return;
  }
  if (!isNode(node)) return;
  if (node.op === 'id' && node.args === 'oldSelf') check.uses.oldSelf = true;
  if (node.op === '.') schemaOf(node, check);
  requireFields(node.args, check);
}

const isNode = (value: unknown): value is ASTNode =>
  typeof value === 'object' && value !== null && 'op' in value && 'args' in value;

/** The schema of what a chain of fields points at; undefined where it is not known. */
function schemaOf(node: ASTNode, check: Check): JsonSchema | undefined {
  switch (node.op) {
    case 'id':
      if (node.args === 'self') return check.schema;
      return node.args === 'oldSelf' && !check.scope.hasOptionalOld ? check.schema : undefined;
    case '.': {
      const [holder, name] = node.args;
      const parent = schemaOf(holder, check);
      return parent === undefined ? undefined : fieldOf(parent, name, node, check);
    }
    case '[]': {
      const parent = schemaOf(node.args[0], check);
      return parent === undefined ? undefined : (itemsOf(parent) ?? additionalOf(parent));
    }
    default:
      return undefined;
  }
}

function fieldOf(parent: JsonSchema, name: string, node: ASTNode, { expression }: Check): JsonSchema | undefined {
  if (parent['x-kubernetes-embedded-resource'] === true || preserves(parent)) return undefined;
  if (parent.additionalProperties !== undefined) return additionalOf(parent);
  const [, property] = Object.entries(parent.properties ?? {}).find(([each]) => escapedName(each) === name) ?? [];
  if (property !== undefined) return property;
  const column = Math.max(0, node.range.end - name.length - 1);
  const place = `ERROR: <input>:1:${column + 1}: undefined field '${name}'`;
  throw new RuleError(`${place}\n | ${expression}\n | ${'.'.repeat(column)}^`);
}
