// What a table of a kind looks like: its columns, and the cells of one object. Cells may depend on the hour (ages), never on
// anything but the object and the hour. kubernetes:pkg/printers/internalversion/printers.go
import type { InstantMs } from '../../base/clock.ts';
import type { KubeObject } from '../../kube/object.ts';

export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean` or `date`. */
  readonly type: string;
  /** `name` marks the column that names the object. */
  readonly format: string;
  /** Columns above 0 are for wide tables. */
  readonly priority: number;
  /** What the definition of a custom kind says of it. */
  readonly description?: string;
}

/** Something true of the whole row: `Completed` rows are shown faintly by some clients. */
export interface RowCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Types of methods: a table of printers may forget the kinds. */
type Cells<T> = { of(object: T, now: InstantMs): readonly Cell[] }['of'];
type Conditions<T> = { of(object: T): readonly RowCondition[] }['of'];

export interface Printer<T extends KubeObject = KubeObject> {
  readonly columns: readonly Column[];
  readonly cells: Cells<T>;
  readonly conditions?: Conditions<T>;
}

export const NAME: Column = { name: 'Name', type: 'string', format: 'name', priority: 0 };
export const AGE: Column = { name: 'Age', type: 'string', format: '', priority: 0 };

export const text = (name: string): Column => ({ name, type: 'string', format: '', priority: 0 });
export const integer = (name: string): Column => ({ name, type: 'integer', format: '', priority: 0 });
export const boolean = (name: string): Column => ({ name, type: 'boolean', format: '', priority: 0 });
const wide = (column: Column): Column => ({ ...column, priority: 1 });
export const wideText = (name: string): Column => wide(text(name));
