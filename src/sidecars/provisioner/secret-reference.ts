// Which Secret a CSI call is made with: named by class parameters, whose values are templates. Only names are resolved
// here; whether the Secret exists is asked when it is read. external-provisioner:pkg/controller/controller.go
import type { StringMap } from '../../csi/driver.ts';
import { goQuote } from '../../kube/go-text.ts';
import { faultsOfLabel, faultsOfSubdomain } from '../../kube/names.ts';
import type { PersistentVolumeClaim } from '../../kube/resources/persistent-volume-claim.ts';
import type { SecretReference } from '../../kube/resources/references.ts';

import { expandTemplate } from './expand-template.ts';
import { PARAMETER_PREFIX } from './marks.ts';

export type SecretKind =
  | 'provisioner'
  | 'controller-publish'
  | 'node-stage'
  | 'node-publish'
  | 'controller-expand'
  | 'node-expand'
  | 'controller-modify';

/** What the templates may name. */
export interface SecretSubject {
  readonly pvName: string;
  readonly claim: { readonly metadata: Pick<PersistentVolumeClaim['metadata'], 'name' | 'namespace' | 'annotations'> };
}
export type SecretLookup =
  | { readonly type: 'none' }
  | { readonly type: 'reference'; readonly reference: Required<SecretReference> }
  | { readonly type: 'wrong'; readonly message: string };

interface Keys {
  /** As upstream calls the kind in messages. */
  readonly title: string;
  readonly name: string;
  readonly namespace: string;
  /** Keys without prefix, from before there was one. */
  readonly deprecated?: { readonly name: string; readonly namespace: string };
}

const keysOf = (title: string, infix: string, deprecatedInfix?: string): Keys => ({
  title,
  name: `${PARAMETER_PREFIX}${infix}secret-name`,
  namespace: `${PARAMETER_PREFIX}${infix}secret-namespace`,
  ...(deprecatedInfix === undefined
    ? {}
    : { deprecated: { name: `csi${deprecatedInfix}SecretName`, namespace: `csi${deprecatedInfix}SecretNamespace` } }),
});

const DEFAULT_KEYS = keysOf('Default', '');
const KEYS: Readonly<Record<SecretKind, Keys>> = {
  provisioner: keysOf('Provisioner', 'provisioner-', 'Provisioner'),
  'controller-publish': keysOf('ControllerPublish', 'controller-publish-', 'ControllerPublish'),
  'node-stage': keysOf('NodeStage', 'node-stage-', 'NodeStage'),
  'node-publish': keysOf('NodePublish', 'node-publish-', 'NodePublish'),
  'controller-expand': keysOf('ControllerExpand', 'controller-expand-'),
  'node-expand': keysOf('NodeExpand', 'node-expand-'),
  'controller-modify': keysOf('ControllerModify', 'controller-modify-'),
};

/** The parameters that name secrets and are therefore not the driver's. */
export const SECRET_PARAMETERS: readonly string[] = [DEFAULT_KEYS, ...Object.values(KEYS)].flatMap((keys) => [
  keys.name,
  keys.namespace,
]);

export function secretReference(kind: SecretKind, parameters: StringMap, subject: SecretSubject): SecretLookup {
  const own = templatesOf(KEYS[kind], parameters);
  if (own.type === 'wrong') return wrong(`failed to get name and namespace template from params: ${own.message}`);
  const found = own.type === 'none' ? templatesOf(DEFAULT_KEYS, parameters) : own;
  if (found.type === 'wrong') {
    return wrong(`failed to get default name and namespace template from params: ${found.message}`);
  }
  return found.type === 'none' ? found : resolve(found, subject);
}

type Templates =
  | { readonly type: 'none' }
  | { readonly type: 'templates'; readonly name: string; readonly namespace: string }
  | { readonly type: 'wrong'; readonly message: string };

function templatesOf(keys: Keys, parameters: StringMap): Templates {
  const given = (key: string | undefined): readonly string[] => {
    const value = key === undefined ? undefined : parameters[key];
    return value === undefined ? [] : [value];
  };
  const names = [...given(keys.deprecated?.name), ...given(keys.name)];
  const namespaces = [...given(keys.deprecated?.namespace), ...given(keys.namespace)];
  if (names.length > 1 || namespaces.length > 1) {
    return wrong(`${keys.title} secrets specified in parameters with both "csi" and "${PARAMETER_PREFIX}" keys`);
  }
  const [name] = names;
  const [namespace] = namespaces;
  if (name === undefined && namespace === undefined) return { type: 'none' };
  if (name === undefined || namespace === undefined) {
    return wrong(`either name and namespace for ${keys.title} secrets specified, Both must be specified`);
  }
  if (name === '' || namespace === '') {
    return wrong(`${keys.title} secrets specified in parameters but value of either namespace or name is empty`);
  }
  return { type: 'templates', name, namespace };
}

function resolve(
  templates: { readonly name: string; readonly namespace: string },
  subject: SecretSubject,
): SecretLookup {
  const { pvName, claim } = subject;
  const { name: claimName, namespace: claimNamespace = '', annotations = {} } = claim.metadata;
  // What a namespace is made of must not be under the control of whoever writes the claim.
  const ofNamespace = { 'pv.name': pvName, 'pvc.namespace': claimNamespace };
  const ofAnnotations = Object.entries(annotations).map(
    ([key, value]) => [`pvc.annotations['${key}']`, value] as const,
  );
  const ofName = { ...ofNamespace, 'pvc.name': claimName, ...Object.fromEntries(ofAnnotations) };
  const namespace = resolveOne(templates.namespace, ofNamespace, { what: 'namespace', faultsOf: faultsOfLabel });
  if (namespace.type === 'wrong') return namespace;
  const name = resolveOne(templates.name, ofName, { what: 'secret', faultsOf: faultsOfSubdomain });
  if (name.type === 'wrong') return name;
  return { type: 'reference', reference: { name: name.text, namespace: namespace.text } };
}

interface NameCheck {
  readonly what: string;
  faultsOf(value: string): readonly string[];
}
type Resolved = { readonly type: 'text'; readonly text: string } | { readonly type: 'wrong'; readonly message: string };

function resolveOne(template: string, tokens: StringMap, check: NameCheck): Resolved {
  const { text, missing } = expandTemplate(template, tokens);
  if (missing.length > 0) {
    const names = missing.map(goQuote).join(' ');
    return wrong(`error resolving value ${goQuote(template)}: invalid tokens: [${names}]`);
  }
  if (check.faultsOf(text).length === 0) return { type: 'text', text };
  const what = `which is not a valid ${check.what} name`;
  return wrong(
    template === text
      ? `${goQuote(template)} is not a valid ${check.what} name`
      : `${goQuote(template)} resolved to ${goQuote(text)} ${what}`,
  );
}

const wrong = (message: string): { readonly type: 'wrong'; readonly message: string } => ({ type: 'wrong', message });
