// Limit ranges: defaults and rules. kubernetes:pkg/apis/core/{v1/defaults.go,validation/validation.go}
import { type FieldError, duplicate, forbidden, invalid, required } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import { faultsOfQualifiedName } from '../../kube/names.ts';
import { compareQuantities } from '../../kube/quantity.ts';
import { mappedParts, partIn, partOf, partsOf, textOf, withPart } from './json-parts.ts';
import { checkContainerResourceName } from './resource-checks.ts';
import type { Strategy } from './strategy.ts';

type Faults = readonly FieldError[];
type Amounts = Readonly<Record<string, string>>;

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'] as const;

export const limitRangeTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  hasGeneration: false,
  createsOnUpdate: true,
  applyDefaults: (range) => withPart(range, (spec) => ({ ...spec, limits: mappedParts(spec['limits'], defaultItem) })),
  validate: (range) => {
    const items = partsOf(partIn(range)['limits']);
    return items.flatMap((item, index) => checkItem(item, items.slice(0, index), `spec.limits[${index}]`));
  },
};

const amountsOf = (value: unknown): Amounts => partOf(value) as Amounts;

/** What is not said follows from what is: limits from the most, requests from limits and the least. */
function defaultItem(item: JsonObject): JsonObject {
  if (item['type'] !== 'Container') return item;
  const limits = { ...amountsOf(item['max']), ...amountsOf(item['default']) };
  const requests = { ...limits, ...amountsOf(item['min']), ...amountsOf(item['defaultRequest']) };
  return {
    ...item,
    ...(Object.keys(limits).length === 0 ? {} : { default: limits }),
    ...(Object.keys(requests).length === 0 ? {} : { defaultRequest: requests }),
  };
}

function checkItem(item: JsonObject, earlier: readonly JsonObject[], path: string): Faults {
  const type = textOf(item['type']);
  const isPod = type === 'Pod';
  const names = ['max', 'min', ...(isPod ? [] : ['default', 'defaultRequest']), 'maxLimitRequestRatio'];
  const given = isPod ? ['default', 'defaultRequest'].filter((name) => item[name] !== undefined) : [];
  const isBound = ['min', 'max'].some((name) => amountsOf(item[name])['storage'] !== undefined);
  return [
    ...checkType(type, `${path}.type`),
    ...(earlier.some((other) => other['type'] === type) ? [duplicate(`${path}.type`, type)] : []),
    ...names.flatMap((name) =>
      type === 'Pod' || type === 'Container'
        ? Object.keys(amountsOf(item[name])).flatMap((each) =>
            checkContainerResourceName(each, `${path}.${name}[${each}]`),
          )
        : [],
    ),
    ...given.map((name) => forbidden(`${path}.${name}`, "may not be specified when `type` is 'Pod'")),
    ...(type === 'PersistentVolumeClaim' && !isBound
      ? [required(`${path}.limits`, 'either minimum or maximum storage value is required, but neither was provided')]
      : []),
    ...checkAmounts(item, names, path),
  ];
}

function checkType(type: string, path: string): Faults {
  const faults = faultsOfQualifiedName(type);
  if (faults.length > 0) return faults.map((fault) => invalid(path, type, fault));
  return type.includes('/') || TYPES.some((each) => each === type)
    ? []
    : [invalid(path, type, 'must be a standard limit type or fully qualified')];
}

interface Order {
  readonly lower: string;
  readonly upper: string;
  /** Which of the two is blamed, and which value is shown. */
  readonly blamed: string;
  readonly shown: string;
  readonly words: readonly [lower: string, upper: string];
}

const ORDERS: readonly Order[] = [
  { lower: 'min', upper: 'max', blamed: 'min', shown: 'min', words: ['min value', 'max value'] },
  {
    lower: 'min',
    upper: 'defaultRequest',
    blamed: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['min value', 'default request value'],
  },
  {
    lower: 'defaultRequest',
    upper: 'max',
    blamed: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request value', 'max value'],
  },
  {
    lower: 'defaultRequest',
    upper: 'default',
    blamed: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request value', 'default limit value'],
  },
  { lower: 'min', upper: 'default', blamed: 'default', shown: 'min', words: ['min value', 'default value'] },
  { lower: 'default', upper: 'max', blamed: 'default', shown: 'max', words: ['default value', 'max value'] },
];

function checkAmounts(item: JsonObject, names: readonly string[], path: string): Faults {
  const resources = [...new Set(names.flatMap((name) => Object.keys(amountsOf(item[name]))))].toSorted();
  return resources.flatMap((resource) => {
    const amount = (name: string): string | undefined =>
      names.includes(name) ? amountsOf(item[name])[resource] : undefined;
    const ratio = amount('maxLimitRequestRatio');
    return [
      ...ORDERS.flatMap((order) => checkOrder(order, amount, `${path}.${order.blamed}[${resource}]`)),
      ...(ratio !== undefined && compareQuantities(ratio, '1') < 0
        ? [invalid(`${path}.maxLimitRequestRatio[${resource}]`, ratio, `ratio ${ratio} is less than 1`)]
        : []),
    ];
  });
}

function checkOrder(
  { lower, upper, shown, words }: Order,
  amount: (name: string) => string | undefined,
  path: string,
): Faults {
  const [low, high] = [amount(lower), amount(upper)];
  if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return [];
  return [invalid(path, amount(shown), `${words[0]} ${low} is greater than ${words[1]} ${high}`)];
}
