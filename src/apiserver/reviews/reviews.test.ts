import { expect, it } from 'vitest';
import type { KubeObject } from '../../kube/object.ts';
import type { AnyAccess, Authorizer, User } from '../authorization.ts';
import type { Call } from '../registry/generic-call.ts';
import { accessReviews } from './access-review.ts';

it('P-REV-1 a review -> asks the authorizer of requests, with what it is told, and tells its answer', () => {
  const asked: [User, AnyAccess][] = [];
  const authorizer: Authorizer = {
    decide: (user, access) => {
      asked.push([user, access]);
      return { allowed: true, because: 'so' };
    },
  };
  const kind = accessReviews(authorizer).find(({ resource }) => resource.plural === 'subjectaccessreviews');
  const spec = {
    user: 'jane',
    groups: ['devs'],
    resourceAttributes: {
      namespace: 'ns',
      verb: 'list',
      resource: 'pods',
      fieldSelector: { rawSelector: 'spec.nodeName=n1' },
    },
  };
  const object = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
  const posted = { object: object as unknown as KubeObject, namespace: undefined, name: '' };
  expect(kind?.answer(posted, {} as Call)).toEqual({ ...object, status: { allowed: true, reason: 'so' } });
  expect(asked).toEqual([
    [
      { name: 'jane', groups: ['devs'] },
      {
        verb: 'list',
        resource: { group: '', plural: 'pods' },
        subresource: undefined,
        namespace: 'ns',
        name: '',
        fieldSelector: 'spec.nodeName=n1',
      },
    ],
  ]);
});
