// Texts that cells of several kinds are made of.
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { SelectorError } from '../../kube/label-requirement.ts';
import type { LabelSelector } from '../../kube/resources/meta.ts';
import { isJsonObject } from '../../kube/json.ts';
import { listAt, textAt } from './field.ts';

/** `a=b,c=d`, in the order of the keys. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '<none>' : pairs.toSorted().join(',');
}

/** A selector as a query writes it; an empty one selects nothing worth telling. */
export function selectorText(selector: unknown): string {
  const text = matcherText(selector, '<error>');
  return text === '' ? '<none>' : text;
}

/** The same, where nothing is shown as nothing. */
export function matcherText(selector: unknown, invalid: string): string {
  try {
    return labelMatcherOf(isSelector(selector) ? selector : undefined).toString();
  } catch (error) {
    if (error instanceof SelectorError) return invalid;
    throw error;
  }
}

/** Whatever it holds: what is wrong with it is found out when it is read. */
const isSelector = (value: unknown): value is LabelSelector => isJsonObject(value);

/** Names and images of the containers of a pod template. */
export function containerCells(podSpec: unknown): readonly [names: string, images: string] {
  const containers = listAt(podSpec, 'containers');
  const joined = (field: string): string => containers.map((each) => textAt(each, field)).join(',');
  return [joined('name'), joined('image')];
}

/** Three at most, and how many more there are. */
export function shortList(all: readonly string[], none: string): string {
  if (all.length > SHORT_LIST_MAX)
    return `${all.slice(0, SHORT_LIST_MAX).join(',')} + ${all.length - SHORT_LIST_MAX} more...`;
  return all.length === 0 ? none : all.join(',');
}

const SHORT_LIST_MAX = 3;

export const orNone = (text: string | undefined): string => (text === undefined || text === '' ? '<none>' : text);
