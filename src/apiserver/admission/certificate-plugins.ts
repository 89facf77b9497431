// Who may approve a request for a certificate, who may sign it, and what nobody may ask for. Rights are those to the signer that
// the request names: `approve` and `sign` on `signers`.
// kubernetes:plugin/pkg/admission/certificates/{approval,signing,subjectrestriction}/admission.go, pkg/certauthorization
import { forbidden } from '../../kube/api-error.ts';
import { goQuote } from '../../kube/go-text.ts';
import type { KubeObject } from '../../kube/object.ts';
import { type Authorizer, MASTERS } from '../authorization.ts';
import { partIn, textOf } from '../registry/json-parts.ts';
import { derIn } from '../registry/pem.ts';
import { sameValue } from '../registry/semantic-equal.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { organizationsIn } from './request-organizations.ts';

const GROUP = 'certificates.k8s.io';
const SIGNERS = { group: GROUP, plural: 'signers' };
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';

export const certificatePlugins = (authorizer: Authorizer): readonly AdmissionPlugin[] => [
  {
    name: 'CertificateApproval',
    review(request) {
      const { before, subresource } = request;
      if (!isAbout(request) || before === undefined || subresource !== 'approval') return;
      requireRight(authorizer, 'approve', request, before);
    },
  },
  {
    name: 'CertificateSigning',
    review(request) {
      const { before, object, subresource } = request;
      if (!isAbout(request) || before === undefined || object === undefined || subresource !== 'status') return;
      if (sameOutcome(object, before)) return;
      requireRight(authorizer, 'sign', request, before);
    },
  },
  {
    name: 'CertificateSubjectRestriction',
    review(request) {
      const { object, operation, subresource } = request;
      if (!isAbout(request) || operation !== 'CREATE' || subresource !== undefined || object === undefined) return;
      if (signerOf(object) === CLIENT_SIGNER) requireNoMasters(request, object);
    },
  },
];

const isAbout = ({ resource }: AdmissionRequest): boolean =>
  resource.group === GROUP && resource.plural === 'certificatesigningrequests';

const signerOf = (request: KubeObject): string => textOf(partIn(request)['signerName']);

const sameOutcome = (request: KubeObject, before: KubeObject): boolean =>
  ['certificate', 'conditions'].every((field) =>
    sameValue(partIn(request, 'status')[field], partIn(before, 'status')[field]),
  );

/** By the signer of the stored request: the one that is sent may name another, which is refused elsewhere. */
function requireRight(
  authorizer: Authorizer,
  verb: 'approve' | 'sign',
  request: AdmissionRequest,
  before: KubeObject,
): void {
  const signer = signerOf(before);
  const names = [signer, `${signer.split('/')[0] ?? ''}/*`];
  const user = { name: request.user, groups: request.groups };
  const about = { verb, resource: SIGNERS, subresource: undefined, namespace: undefined };
  if (names.some((name) => authorizer.decide(user, { ...about, name }).allowed)) return;
  throw refusal(request, `user not permitted to ${verb} requests with signerName ${goQuote(signer)}`);
}

function requireNoMasters(request: AdmissionRequest, object: KubeObject): void {
  const [block] = derIn(textOf(partIn(object)['request']));
  const organizations = organizationsIn(block?.bytes ?? '');
  if (organizations === undefined) throw refusal(request, 'failed to parse CSR: asn1: syntax error');
  if (!organizations.includes(MASTERS)) return;
  throw refusal(request, `use of ${CLIENT_SIGNER} signer with ${MASTERS} group is not allowed`);
}

const refusal = ({ resource, name }: AdmissionRequest, why: string): Error =>
  forbidden({ group: resource.group, plural: resource.plural }, name, why);
