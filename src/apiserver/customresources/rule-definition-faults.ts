// What is wrong with the rules of a schema, before any object is judged by them.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
import { type FieldError, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { JsonSchema, ValidationRule } from '../../kube/resources/json-schema-props.ts';
import { isFieldPath } from './field-path.ts';
import { internalRule } from './internal-form.ts';
import { isEmbedded } from './json-schema.ts';
import { RuleError } from './rule-engine.ts';
import { compiledRule } from './rule-faults.ts';
import type { SchemaPlace } from './schema-place.ts';

type Faults = readonly FieldError[];

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** Expressions are compiled only where the schema itself has no faults: its types decide what they mean. */
export function ruleDefinitionFaults(schema: JsonSchema, place: SchemaPlace, hasFaults: boolean): Faults {
  const rules = schema['x-kubernetes-validations'] ?? [];
  const textual = rules.flatMap((rule, index) =>
    textFaults(rule, schema, `${place.path}.x-kubernetes-validations[${index}]`),
  );
  if (hasFaults || textual.length > 0 || !place.checksRules) return textual;
  return rules.flatMap((rule, index) =>
    expressionFaults(rule, schema, place, `${place.path}.x-kubernetes-validations[${index}]`),
  );
}

function textFaults(rule: ValidationRule, schema: JsonSchema, path: string): Faults {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  return [
    ...ruleTextFaults(rule.rule, message, path),
    ...(messageExpression !== '' && messageExpression.trim() === ''
      ? [required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified')]
      : []),
    ...(reason !== undefined && !REASONS.includes(reason) ? [notSupported(`${path}.reason`, reason, REASONS)] : []),
    ...fieldPathFaults(fieldPath, schema, `${path}.fieldPath`),
  ];
}

/** Of rule and message the first fault is told. */
function ruleTextFaults(rule: string, message: string, path: string): Faults {
  const trimmed = message.trim();
  if (rule.trim() === '') return [required(`${path}.rule`, 'rule is not specified')];
  if (message !== '' && trimmed === '') return [invalid(`${path}.message`, message, 'must be non-empty if specified')];
  if (hasLines(trimmed)) return [invalid(`${path}.message`, message, 'must not contain line breaks')];
  if (hasLines(rule.trim()) && trimmed === '')
    return [required(`${path}.message`, 'message must be specified if rule contains line breaks')];
  return [];
}

const hasLines = (text: string): boolean => /[\n\r]/.test(text);

function fieldPathFaults(fieldPath: string, schema: JsonSchema, path: string): Faults {
  if (fieldPath === '') return [];
  const faults: FieldError[] = [];
  if (fieldPath.trim() === '') faults.push(invalid(path, fieldPath, 'must be non-empty if specified'));
  if (hasLines(fieldPath)) faults.push(invalid(path, fieldPath, 'must not contain line breaks'));
  if (!isFieldPath(fieldPath, schema)) faults.push(invalid(path, fieldPath, 'must be a valid path'));
  return faults;
}

function expressionFaults(rule: ValidationRule, schema: JsonSchema, place: SchemaPlace, path: string): Faults {
  const isObject = place.isRoot || isEmbedded(schema);
  const { expression, message } = compiledRule(rule, schema, isObject, place.engine);
  const faults: FieldError[] = [];
  if (expression instanceof RuleError)
    return [invalid(`${path}.rule`, internalRule(rule), `compilation failed: ${expression.message}`)];
  if (expression.type !== 'bool' && expression.type !== 'dyn')
    faults.push(invalid(`${path}.rule`, internalRule(rule), 'cel expression must evaluate to a bool'));
  if ((rule.messageExpression ?? '') !== '' && message === undefined)
    faults.push(invalid(`${path}.messageExpression`, internalRule(rule), 'messageExpression compilation failed'));
  else if (message !== undefined && message.type !== 'string' && message.type !== 'dyn')
    faults.push(
      invalid(`${path}.messageExpression`, internalRule(rule), 'messageExpression must evaluate to a string'),
    );
  if (expression.usesOldSelf && place.uncorrelatedSince !== undefined) {
    const says = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatedSince}`;
    faults.push(invalid(`${path}.rule`, rule.rule, says));
  } else if (!expression.usesOldSelf && rule.optionalOldSelf !== undefined) {
    const says = 'may not be set if oldSelf is not used in rule';
    faults.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, says));
  }
  return faults;
}
