// DeleteOptions come in the body, or else in the query, never from both.
// kubernetes:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/delete.go
import { badRequest } from '../../kube/api-error.ts';
import { ShapeError, shapeOf } from '../../kube/go-shape.ts';
import { isJsonObject } from '../../kube/json.ts';
import { type Infer, bool, int64, list, message, of, omitempty, pointer, string } from '../../kube/schema.ts';
import type { SentDeleteOptions } from '../registry/generic-delete-options.ts';
import { dryRunFaults, flag, invalidOptions, text, wholeNumber } from './query-options.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

const PreconditionsSchema = message(`${META}.Preconditions`, {
  uid: pointer(1, string),
  resourceVersion: pointer(2, string),
});

export const DeleteOptionsSchema = message(`${META}.DeleteOptions`, {
  gracePeriodSeconds: pointer(1, int64),
  preconditions: pointer(2, of(PreconditionsSchema)),
  orphanDependents: pointer(3, bool),
  propagationPolicy: pointer(4, string),
  dryRun: omitempty(5, list(string)),
});

type Given = Infer<typeof DeleteOptionsSchema>;

export function deleteOptionsFromBody(value: unknown): SentDeleteOptions {
  if (value === null) return {};
  if (!isJsonObject(value)) throw badRequest("couldn't get version/kind; json parse error: not an object");
  const { kind = 'DeleteOptions', apiVersion = 'v1', ...fields } = value;
  if (kind !== 'DeleteOptions')
    throw badRequest(`no kind "${String(kind)}" is registered for version "${String(apiVersion)}"`);
  return checked(shaped(fields));
}

export function deleteOptionsFromQuery(query: URLSearchParams): SentDeleteOptions {
  const gracePeriodSeconds = wholeNumber(query, 'gracePeriodSeconds');
  const orphanDependents = flag(query, 'orphanDependents');
  const dryRun = query.getAll('dryRun');
  return checked({
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...text(query, 'propagationPolicy'),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  });
}

function shaped(fields: unknown): Given {
  try {
    return shapeOf(DeleteOptionsSchema, fields);
  } catch (error) {
    if (error instanceof ShapeError) throw badRequest(error.message);
    throw error;
  }
}

/** Whether the policy is a known one is checked with the rest of the request. */
function checked({ dryRun = [], propagationPolicy, ...rest }: Given): SentDeleteOptions {
  const faults = dryRunFaults(dryRun);
  if (faults.length > 0) throw invalidOptions('DeleteOptions', faults);
  return {
    ...rest,
    ...(propagationPolicy === undefined ? {} : { propagationPolicy: propagationPolicy as 'Background' }),
    ...(dryRun.length === 0 ? {} : { dryRun: true }),
  };
}
