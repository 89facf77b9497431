import type { RuleEngine } from './rule-engine.ts';

/** Where a schema stands inside another one. */
export interface SchemaPlace {
  readonly path: string;
  readonly isRoot: boolean;
  readonly isInsideMeta: boolean;
  /** Why there may be no default; undefined where there may. */
  readonly noDefaultBecause: string | undefined;
  /** The outermost list whose members have no lasting identity; no rule below it can compare with the past. */
  readonly uncorrelatedSince: string | undefined;
  /** Rules are looked at where the schema stands by itself, not as an alternative. */
  readonly checksRules: boolean;
  readonly engine: RuleEngine | undefined;
}
