// The contract for rules in an expression language (`x-kubernetes-validations`). The language sits at the edge: simulated
// worlds have none, and a server without it refuses definitions with rules instead of not checking them.
import type { JsonSchema } from '../../kube/resources/json-schema-props.ts';
import type { Old } from './correlation.ts';

/** An expression cannot be compiled, or has no value. */
export class RuleError extends Error {
  override readonly name = 'RuleError';
}

export interface RuleScope {
  /** Of `self` and `oldSelf`. */
  readonly schema: JsonSchema;
  /** A whole object: it has type and metadata though its schema does not say so. */
  readonly isObject: boolean;
  /** `oldSelf` is an optional value, so that a rule also judges what was not there before. */
  readonly hasOptionalOld: boolean;
}

export interface Expression {
  /** Compares with what was there before. */
  readonly usesOldSelf: boolean;
  /** `bool`, `string`; `dyn` where only the values decide. */
  readonly type: string;
  /** Throws RuleError. */
  evaluate(self: unknown, old: Old): unknown;
}

export interface RuleEngine {
  /** Throws RuleError. */
  compile(expression: string, scope: RuleScope): Expression;
}
