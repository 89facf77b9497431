// What one rule allows, and whether some rules allow all that others do.
// kubernetes:pkg/apis/rbac/v1/evaluation_helpers.go, component-helpers:auth/rbac/validation/policy_comparator.go
import { goQuote } from '../../kube/go-text.ts';
import type { AnyAccess } from '../authorization.ts';
import type { PolicyRule } from '../../kube/resources/cluster-role.ts';

const ALL = '*';
const NONE: readonly string[] = [];

export function ruleAllows(rule: PolicyRule, access: AnyAccess): boolean {
  if (!includesOrAll(rule.verbs, access.verb)) return false;
  if ('path' in access) return (rule.nonResourceURLs ?? NONE).some((url) => pathCovers(url, access.path));
  const { resource, subresource, name } = access;
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE } = rule;
  if (!includesOrAll(apiGroups, resource.group)) return false;
  if (resourceNames.length > 0 && !resourceNames.includes(name)) return false;
  if (subresource === undefined || subresource === '') return includesOrAll(resources, resource.plural);
  return includesOrAll(resources, `${resource.plural}/${subresource}`) || resources.includes(`*/${subresource}`);
}

const includesOrAll = (words: readonly string[], word: string): boolean => words.includes(word) || words.includes(ALL);

function pathCovers(url: string, path: string): boolean {
  return url === path || (url.endsWith(ALL) && path.startsWith(url.replace(/\*+$/, '')));
}

/** The parts of `wanted` that `owned` does not cover, each with one verb, one group, one resource and at most one name. */
export function uncoveredRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): readonly PolicyRule[] {
  return wanted.flatMap(smallRules).filter((small) => !owned.some((rule) => covers(rule, small)));
}

function smallRules({
  verbs,
  apiGroups,
  resources,
  resourceNames,
  nonResourceURLs,
}: PolicyRule): readonly PolicyRule[] {
  const named = (resourceNames ?? NONE).map((name) => ({ resourceNames: [name] }));
  const names: readonly Partial<PolicyRule>[] = named.length === 0 ? [{}] : named;
  const ofResources = (apiGroups ?? NONE).flatMap((group) =>
    (resources ?? NONE).flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((name) => ({ apiGroups: [group], resources: [resource], verbs: [verb], ...name })),
      ),
    ),
  );
  const ofUrls = (nonResourceURLs ?? NONE).flatMap((url) =>
    verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...ofResources, ...ofUrls];
}

function covers(owner: PolicyRule, small: PolicyRule): boolean {
  const { apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE } = owner;
  const names = small.resourceNames ?? NONE;
  return (
    coversWords(owner.verbs, small.verbs) &&
    coversWords(apiGroups, small.apiGroups ?? NONE) &&
    coversResources(resources, small.resources ?? NONE) &&
    (small.nonResourceURLs ?? NONE).every((path) => nonResourceURLs.some((url) => pathCovers(url, path))) &&
    (resourceNames.length === 0 || (names.length > 0 && names.every((name) => resourceNames.includes(name))))
  );
}

const coversWords = (owned: readonly string[], wanted: readonly string[]): boolean =>
  owned.includes(ALL) || wanted.every((word) => owned.includes(word));

function coversResources(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.includes(ALL)) return true;
  return wanted.every((path) => {
    const slash = path.indexOf('/');
    return owned.includes(path) || (slash >= 0 && owned.includes(`*${path.slice(slash)}`));
  });
}

/** Small rules that differ by their verb alone, put together. kubernetes:pkg/registry/rbac/validation/policy_compact.go */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const whole: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { apiGroups = NONE, resources = NONE, resourceNames = NONE, nonResourceURLs = NONE } = rule;
    if (nonResourceURLs.length > 0 || resourceNames.length > 1 || apiGroups.length !== 1 || resources.length !== 1) {
      whole.push(rule);
      continue;
    }
    const of = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = simple.get(of);
    simple.set(of, known === undefined ? rule : { ...known, verbs: [...known.verbs, ...rule.verbs] });
  }
  return [...whole, ...simple.values()];
}

/** `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`, as refusals print a rule. */
export function ruleText(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  const told = parts.flatMap(([name, words = NONE]) => (words.length === 0 ? [] : [`${name}:${quotedList(words)}`]));
  return `{${told.join(', ')}}`;
}

/** `["a" "b"]`, as Go prints a list of texts. */
export const quotedList = (words: readonly string[]): string => `[${words.map(goQuote).join(' ')}]`;
