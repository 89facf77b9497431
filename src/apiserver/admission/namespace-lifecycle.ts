// Nothing is created where there is no namespace, or where it is going away.
// kubernetes:staging/src/k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go
import { StatusError, forbidden, isApiError, notFound } from '../../kube/api-error.ts';
import { Namespaces } from '../../kube/resources/namespace.ts';
import type { AdmissionPlugin, AdmissionReader, AdmissionRequest } from './admission.ts';
import { refusal } from './written-object.ts';

const IMMORTAL = ['default', 'kube-system', 'kube-public'];

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  admit(request, reader) {
    if (isNamespace(request)) requireMortal(request);
    else if (request.operation !== 'DELETE' && !isAccessReview(request)) requireNamespace(request, reader);
    return undefined;
  },
};

const isNamespace = ({ resource }: AdmissionRequest): boolean =>
  resource.group === '' && resource.plural === Namespaces.plural;

/** Whether a namespace exists is not told to those who may only ask what they may do in it. */
const isAccessReview = ({ resource }: AdmissionRequest): boolean => resource.plural === 'localsubjectaccessreviews';

function requireMortal({ operation, name }: AdmissionRequest): void {
  if (operation === 'DELETE' && IMMORTAL.includes(name)) {
    throw forbidden(Namespaces, name, 'this namespace may not be deleted');
  }
}

function requireNamespace(request: AdmissionRequest, reader: AdmissionReader): void {
  const { namespace, operation } = request;
  if (namespace === undefined || namespace === '') return;
  const found = reader.get(Namespaces, namespace);
  if (found === undefined) throw notFound(Namespaces, namespace);
  if (operation === 'CREATE' && found.status.phase === 'Terminating') throw terminating(request, namespace);
}

function terminating(request: AdmissionRequest, namespace: string): Error {
  const error = refusal(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  if (!isApiError(error)) return error;
  const message = `namespace ${namespace} is being terminated`;
  const cause = { reason: 'NamespaceTerminating', message, field: 'metadata.namespace' };
  const { code, reason, details } = error;
  return new StatusError({ code, reason, message: error.message, details: { ...details, causes: [cause] } });
}
