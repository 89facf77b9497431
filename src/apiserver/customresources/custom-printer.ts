// The table of a custom kind, by the columns of its definition: each is a path; what is not there is no cell.
// kubernetes:staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor/tableconvertor.go
import type { InstantMs } from '../../base/clock.ts';
import type { ColumnDefinition } from '../../kube/resources/custom-resource-definition.ts';
import { ageOf } from '../tables/age.ts';
import { type Cell, NAME, type Printer } from '../tables/printer.ts';
import { type JsonPath, parseJsonPath, valuesAt } from './json-path.ts';

/** What a kind shows that names no columns. */
const AGE: ColumnDefinition = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

export function customPrinter(given: readonly ColumnDefinition[]): Printer {
  const columns = (given.length === 0 ? [AGE] : given).map((column) => ({
    ...column,
    path: parseJsonPath(column.jsonPath) ?? [],
  }));
  return {
    columns: [
      NAME,
      ...columns.map(({ name, type, format = '', priority = 0, description = '' }) => ({
        name,
        type,
        format,
        priority,
        description,
      })),
    ],
    cells: (object, now) => [object.metadata.name, ...columns.map(({ type, path }) => cellOf(type, path, object, now))],
  };
}

function cellOf(type: string, path: JsonPath, object: unknown, now: InstantMs): Cell {
  const [value] = valuesAt(path, object);
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return textOf(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      return typeof value === 'string' ? dateOf(value, now) : null;
    default:
      return null;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const dateOf = (value: string, now: InstantMs): string =>
  Number.isNaN(Date.parse(value)) ? '<invalid>' : ageOf(value, now);
