// What names the members of lists that merge member by member, and what is wrong with those that cannot be named.
// structured-merge-diff:typed/helpers.go
import { goQuote } from '../../kube/go-text.ts';
import { isJsonObject } from '../../kube/json.ts';
import type { ListApply } from './apply-type.ts';
import { type KeyField, keyElement, valueElement } from './path-element.ts';

export type NamedMember = { readonly step: string } | { readonly fault: string };

export function nameMember(list: ListApply, member: unknown): NamedMember {
  return list.relation === 'set' ? setMember(member) : keyedMember(list, member);
}

/** The step to a member of a list that is known to be sound. */
export function stepTo(list: ListApply, member: unknown): string {
  const named = nameMember(list, member);
  return 'step' in named ? named.step : valueElement(member);
}

function setMember(member: unknown): NamedMember {
  if (member === null) return { fault: "associative list without keys has an element that's an explicit null" };
  if (Array.isArray(member)) return { fault: 'not supported: associative list with lists as elements' };
  if (typeof member === 'object') return { fault: "associative list without keys has an element that's a map type" };
  return { step: valueElement(member) };
}

function keyedMember({ keys }: ListApply, member: unknown): NamedMember {
  if (member === null) return { fault: 'associative list with keys may not have a null element' };
  if (!isJsonObject(member)) return { fault: 'associative list with keys may not have non-map elements' };
  const fields: KeyField[] = [];
  for (const key of keys) {
    const given = member[key.name];
    const value = given === undefined ? key.default : given;
    if (value !== undefined) fields.push([key.name, value]);
  }
  if (fields.length > 0) return { step: keyElement(fields) };
  const names = keys.map(({ name }) => goQuote(name)).join(' ');
  return {
    fault: `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  };
}
