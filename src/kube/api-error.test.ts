import { describe, expect, test } from 'vitest';
import * as apiError from './api-error.ts';
import { forbidden as forbiddenField, required } from './field-error.ts';

const claims = { group: '', plural: 'persistentvolumeclaims' };
const attachments = { group: 'storage.k8s.io', plural: 'volumeattachments' };
const claimKind = { group: '', kind: 'PersistentVolumeClaim' };
const modes = required('spec.accessModes', 'at least 1 access mode is required');
const storage = required('spec.resources[storage]');

const rows: readonly (readonly [
  string,
  apiError.StatusError,
  number,
  string | undefined,
  string,
  object | undefined,
])[] = [
  [
    'core object missing',
    apiError.notFound(claims, 'x'),
    404,
    'NotFound',
    'persistentvolumeclaims "x" not found',
    { name: 'x', kind: 'persistentvolumeclaims' },
  ],
  [
    'grouped object missing',
    apiError.notFound(attachments, 'x'),
    404,
    'NotFound',
    'volumeattachments.storage.k8s.io "x" not found',
    { name: 'x', group: 'storage.k8s.io', kind: 'volumeattachments' },
  ],
  [
    'resource missing',
    apiError.noSuchResource(),
    404,
    'NotFound',
    'the server could not find the requested resource',
    {},
  ],
  [
    'name taken',
    apiError.alreadyExists(claims, 'a'),
    409,
    'AlreadyExists',
    'persistentvolumeclaims "a" already exists',
    { name: 'a', kind: 'persistentvolumeclaims' },
  ],
  [
    'no generated name free',
    apiError.generateNameConflict(claims, 'a-x'),
    409,
    'AlreadyExists',
    'persistentvolumeclaims "a-x" already exists, the server was not able to generate a unique name for the object',
    { name: 'a-x', kind: 'persistentvolumeclaims', retryAfterSeconds: 1 },
  ],
  [
    'stale version',
    apiError.conflict({ group: 'coordination.k8s.io', plural: 'leases' }, 'l'),
    409,
    'Conflict',
    'Operation cannot be fulfilled on leases.coordination.k8s.io "l": the object has been modified; please apply your changes to the latest version and try again',
    { name: 'l', group: 'coordination.k8s.io', kind: 'leases' },
  ],
  [
    'bound twice',
    apiError.conflict(
      { group: '', plural: 'pods', subresource: 'binding' },
      'a',
      'pod a is already assigned to node "n1"',
    ),
    409,
    'Conflict',
    'Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "n1"',
    { name: 'a', kind: 'pods/binding' },
  ],
  [
    'apply conflict',
    apiError.applyConflict('Apply failed with 1 conflict: conflict with "one": .data.k', [
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' },
    ]),
    409,
    'Conflict',
    'Apply failed with 1 conflict: conflict with "one": .data.k',
    { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.k' }] },
  ],
  [
    'patch does not fit',
    apiError.unprocessable(),
    422,
    'Invalid',
    'the server rejected our request due to an error in our request',
    {},
  ],
  ['bad request', apiError.badRequest('no'), 400, 'BadRequest', 'no', undefined],
  [
    'path forbidden',
    apiError.forbidden(undefined, '', 'User "jane" cannot get path "/metrics"'),
    403,
    'Forbidden',
    'forbidden: User "jane" cannot get path "/metrics"',
    {},
  ],
  [
    'list forbidden',
    apiError.forbidden(attachments, '', 'no'),
    403,
    'Forbidden',
    'volumeattachments.storage.k8s.io is forbidden: no',
    { group: 'storage.k8s.io', kind: 'volumeattachments' },
  ],
  [
    'object forbidden',
    apiError.forbidden({ group: '', plural: 'namespaces' }, 'default', 'this namespace may not be deleted'),
    403,
    'Forbidden',
    'namespaces "default" is forbidden: this namespace may not be deleted',
    { name: 'default', kind: 'namespaces' },
  ],
  ['no credential', apiError.unauthorized(), 401, 'Unauthorized', 'Unauthorized', undefined],
  [
    'too old',
    apiError.expired('too old resource version: 1 (9)'),
    410,
    'Expired',
    'too old resource version: 1 (9)',
    undefined,
  ],
  [
    'too slow',
    apiError.timeout('request did not complete', 3),
    504,
    'Timeout',
    'Timeout: request did not complete',
    { retryAfterSeconds: 3 },
  ],
  [
    'too new',
    apiError.tooLargeResourceVersion(9, 4),
    504,
    'Timeout',
    'Timeout: Too large resource version: 9, current: 4',
    { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  ],
  [
    'too many',
    apiError.tooManyRequests('slow down', { retryAfterSeconds: 10 }),
    429,
    'TooManyRequests',
    'slow down',
    { retryAfterSeconds: 10 },
  ],
  [
    'internal',
    apiError.internal('boom'),
    500,
    'InternalError',
    'Internal error occurred: boom',
    { causes: [{ message: 'boom' }] },
  ],
  [
    'unclassified',
    apiError.unclassified('resourceVersion should not be set on objects to be created'),
    500,
    undefined,
    'resourceVersion should not be set on objects to be created',
    undefined,
  ],
  [
    'method',
    apiError.methodNotAllowed(),
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  ],
  [
    'media type',
    apiError.unsupportedMediaType(['application/json', 'application/yaml']),
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
    undefined,
  ],
  [
    'accept',
    apiError.notAcceptable(['application/json', 'application/yaml']),
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/yaml',
    undefined,
  ],
  [
    'too large',
    apiError.entityTooLarge('limit is 3145728'),
    413,
    'RequestEntityTooLarge',
    'Request entity too large: limit is 3145728',
    undefined,
  ],
  [
    'server timeout',
    apiError.serverTimeout(attachments, 'list', 1),
    500,
    'ServerTimeout',
    'The list operation against volumeattachments.storage.k8s.io could not be completed at this time, please try again.',
    { name: 'list', group: 'storage.k8s.io', kind: 'volumeattachments', retryAfterSeconds: 1 },
  ],
  ['unavailable', apiError.serviceUnavailable('starting'), 503, 'ServiceUnavailable', 'starting', undefined],
];

describe('P-KUBE-2 errors as the server answers them', () => {
  test.each(rows)('%s -> its Status', (_situation, error, code, reason, message, details) => {
    expect(apiError.toStatus(error)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    });
  });

  test.each(rows)('%s -> comes back whole from its Status', (_situation, error) => {
    const back = apiError.fromStatus(apiError.toStatus(error));
    expect([back.code, back.reason, back.message, back.details]).toEqual([
      error.code,
      error.reason,
      error.message,
      error.details,
    ]);
  });
});

describe('P-KUBE-2 invalid', () => {
  test('one fault -> told plainly', () => {
    const error = apiError.invalid(claimKind, 'a', [modes]);
    expect(error.message).toBe(
      'PersistentVolumeClaim "a" is invalid: spec.accessModes: Required value: at least 1 access mode is required',
    );
    expect(error.details).toEqual({
      name: 'a',
      kind: 'PersistentVolumeClaim',
      causes: [
        {
          reason: 'FieldValueRequired',
          message: 'Required value: at least 1 access mode is required',
          field: 'spec.accessModes',
        },
      ],
    });
  });

  test('several faults -> in brackets', () => {
    expect(apiError.invalid({ group: 'apps', kind: 'StatefulSet' }, 'a', [modes, storage]).message).toBe(
      'StatefulSet.apps "a" is invalid: [spec.accessModes: Required value: at least 1 access mode is required, spec.resources[storage]: Required value]',
    );
  });

  test('the same fault twice -> once in the message, twice in the causes', () => {
    const twice = [forbiddenField('data', 'no'), forbiddenField('data', 'no')];
    const error = apiError.invalid(claimKind, 'a', twice);
    expect(error.message).toBe('PersistentVolumeClaim "a" is invalid: data: Forbidden: no');
    expect(error.details?.causes).toHaveLength(2);
  });

  test('no kind, no name -> both empty in the message and absent in the details', () => {
    const error = apiError.invalid({ group: '', kind: '' }, '', [required('patch')]);
    expect(error.message).toBe(' "" is invalid: patch: Required value');
    expect(Object.keys(error.details ?? {})).toEqual(['causes']);
  });
});

describe('recognising errors', () => {
  test('isApiError -> by class and by reason', () => {
    const error = apiError.notFound(claims, 'x');
    expect(apiError.isApiError(error)).toBe(true);
    expect(apiError.isApiError(error, 'NotFound')).toBe(true);
    expect(apiError.isApiError(error, 'Conflict')).toBe(false);
    expect(apiError.isApiError(new Error('NotFound'), 'NotFound')).toBe(false);
  });

  test('causeOf -> the cause with that reason', () => {
    expect(apiError.causeOf(apiError.tooLargeResourceVersion(2, 1), 'ResourceVersionTooLarge')?.message).toBe(
      'Too large resource version',
    );
    expect(apiError.causeOf(apiError.badRequest('x'), 'ResourceVersionTooLarge')).toBeUndefined();
    expect(apiError.causeOf(new Error('x'), 'x')).toBeUndefined();
  });

  test('a plain Error -> 500 without a reason', () => {
    expect(apiError.toStatus(new Error('boom'))).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'boom',
      code: 500,
    });
    expect(apiError.toStatus('thrown text').message).toBe('thrown text');
  });

  test.each([
    [{ code: 410, reason: 'Gone' }, 'Expired'],
    [{ code: 404 }, 'NotFound'],
    [{ code: 409 }, 'Conflict'],
    [{ code: 500 }, 'Unknown'],
    [{ code: 418 }, 'Unknown'],
    [{ reason: 'NotFound' }, 'NotFound'],
    [{}, 'Unknown'],
  ])('a Status %j -> reason %s', (status, reason) => {
    expect(apiError.fromStatus(status).reason).toBe(reason);
  });

  test('an expired list -> hands the fresh token on', () => {
    const error = apiError.fromStatus(apiError.toStatus(apiError.expired('too old', 'token')));
    expect(error.continue).toBe('token');
  });
});
