// The table of every kind. A kind without a printer of its own shows its name and when it was made, as upstream's default does.
import type { KubeObject } from '../../kube/object.ts';
import { NAME, type Printer } from './printer.ts';

const DEFAULT_PRINTER: Printer = {
  columns: [NAME, { name: 'Created At', type: 'date', format: '', priority: 0 }],
  cells: ({ metadata }) => [metadata.name, metadata.creationTimestamp],
};

/** `apps/v1 Deployment`: as objects name their kind. */
const PRINTERS: ReadonlyMap<string, Printer> = new Map([]);

export function printerOf({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Printer {
  return PRINTERS.get(`${apiVersion} ${kind}`) ?? DEFAULT_PRINTER;
}
