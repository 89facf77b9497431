// Requests for certificates. Who asks is written down by the server; a request never changes, people approve or deny it
// through `approval`, and a signer writes its certificate through `status`.
// kubernetes:pkg/registry/certificates/certificates/strategy.go, pkg/apis/certificates/validation/validation.go
// Different from upstream: the PEM block must be of the right type and hold DER, its signature is not verified.
import { timestamp } from '../../base/clock.ts';
import { type FieldError, duplicate, forbidden, invalid, notSupported, required } from '../../kube/field-error.ts';
import type { JsonObject } from '../../kube/json.ts';
import { faultsOfLabel, faultsOfSubdomain } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/object.ts';
import { difference } from './difference.ts';
import { numberOf, partIn, partsOf, textOf, textsOf, withPart } from './json-parts.ts';
import { derIn } from './pem.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy, StrategyContext } from './strategy.ts';

type Faults = readonly FieldError[];

const CONDITIONS = 'status.conditions';
const CERTIFICATE = 'status.certificate';
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';
const EXPIRATION_SECONDS_MIN = 600;
const DECISIONS = ['Approved', 'Denied'] as const;
/** Conditions that are there or not, but never false. */
const LASTING = [...DECISIONS, 'Failed'] as const;
const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
] as const;

const conditionsOf = (request: KubeObject): readonly JsonObject[] => partsOf(partIn(request, 'status')['conditions']);
const conditionsOfType = (request: KubeObject, type: string): readonly JsonObject[] =>
  conditionsOf(request).filter((condition) => condition['type'] === type);
const certificateOf = (request: KubeObject): string => textOf(partIn(request, 'status')['certificate']);
const withConditions = (request: KubeObject, conditions: readonly JsonObject[]): KubeObject =>
  withPart(request, (status) => (conditions.length === 0 ? status : { ...status, conditions }), 'status');

export const certificateRequestTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  hasGeneration: false,
  nameRule: 'path-segment',
  fieldSelectors: { 'spec.signerName': (request) => textOf(partIn(request)['signerName']) },
  prepareForCreate: withRequester,
  prepareForUpdate: (request, before) => withSpecOf(request, before),
  prepareForStatusUpdate: (request, before, context) => withTimes(withDecisionsOf(request, before), before, context),
  validate: (request) => checkRequest(request, undefined),
  validateUpdate: (request, before) => checkChange(request, before, {}),
  validateStatusUpdate: (request, before) => checkChange(request, before, { setsCertificate: true }),
  subresources: {
    approval: {
      writesStatus: true,
      prepareForUpdate: withConditionsOnly,
      validateUpdate: (request, before) => checkChange(request, before, { setsDecisions: true }),
    },
  },
};

function withRequester(request: KubeObject, { user }: StrategyContext): KubeObject {
  return withPart(request, ({ username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec }) => {
    if (user === undefined) return spec;
    const { name, uid = '', groups, extra = {} } = user;
    return {
      ...spec,
      username: name,
      ...(uid === '' ? {} : { uid }),
      ...(groups.length === 0 ? {} : { groups }),
      ...(Object.keys(extra).length === 0 ? {} : { extra }),
    };
  });
}

const withSpecOf = (request: KubeObject, before: KubeObject): KubeObject => withPart(request, () => partIn(before));

/** Of the status only what people decide. */
function withConditionsOnly(request: KubeObject, before: KubeObject, context: StrategyContext): KubeObject {
  const timed = conditionsOf(withTimes(request, before, context));
  const { conditions: _conditions, ...status } = partIn(before, 'status');
  const kept = withPart(withSpecOf(request, before), () => status, 'status');
  return withConditions(kept, timed);
}

/** What was decided stays as it is, unless more or fewer decisions were sent, which is a fault. */
function withDecisionsOf(request: KubeObject, before: KubeObject): KubeObject {
  return DECISIONS.reduce((kept, type) => {
    const old = conditionsOfType(before, type);
    if (conditionsOfType(kept, type).length !== old.length) return kept;
    const rest = [...old];
    const next = conditionsOf(kept).map((each) => (each['type'] === type ? (rest.shift() ?? each) : each));
    return withConditions(kept, next);
  }, request);
}

/** The time of transition is kept while a condition of the same status was there. */
function withTimes(request: KubeObject, before: KubeObject, { now }: StrategyContext): KubeObject {
  const time = timestamp(now);
  const transitionOf = ({ type, status }: JsonObject): string =>
    conditionsOfType(before, textOf(type))
      .filter((old) => old['status'] === status)
      .map((old) => textOf(old['lastTransitionTime']))
      .find((at) => at !== '') ?? time;
  const timed = conditionsOf(request).map((condition) => ({
    ...condition,
    lastUpdateTime: textOf(condition['lastUpdateTime']) || time,
    lastTransitionTime: textOf(condition['lastTransitionTime']) || transitionOf(condition),
  }));
  return withConditions(request, timed);
}

function checkRequest(request: KubeObject, before: KubeObject | undefined): Faults {
  const { request: text, usages, signerName, expirationSeconds } = partIn(request);
  const seconds = numberOf(expirationSeconds);
  return [
    ...checkPem(text),
    ...checkUsages(textsOf(usages)),
    ...checkSigner(textOf(signerName), before !== undefined),
    ...(seconds === undefined || seconds >= EXPIRATION_SECONDS_MIN
      ? []
      : [
          invalid(
            'spec.expirationSeconds',
            seconds,
            `may not specify a duration less than ${EXPIRATION_SECONDS_MIN} seconds (10 minutes)`,
          ),
        ]),
    ...checkConditions(request),
    ...checkCertificate(certificateOf(request), before === undefined ? '' : certificateOf(before)),
  ];
}

function checkPem(text: unknown): Faults {
  const blocks = derIn(textOf(text));
  const [first] = blocks;
  const path = 'spec.request';
  const shown = text ?? null;
  if (first?.type !== 'CERTIFICATE REQUEST')
    return [invalid(path, shown, 'PEM block type must be CERTIFICATE REQUEST')];
  return first.isDer ? [] : [invalid(path, shown, "asn1: structure error: tags don't match")];
}

function checkUsages(usages: readonly string[]): Faults {
  const known: readonly string[] = USAGES;
  return [
    ...(usages.length === 0 ? [required('spec.usages')] : []),
    ...usages.flatMap((usage, index) =>
      known.includes(usage) ? [] : [notSupported(`spec.usages[${index}]`, usage, USAGES)],
    ),
    ...usages.flatMap((usage, index) =>
      usages.indexOf(usage) < index ? [duplicate(`spec.usages[${index}]`, usage)] : [],
    ),
  ];
}

/** kubernetes:pkg/apis/core/validation/names.go (ValidateSignerName) */
function checkSigner(name: string, isStored: boolean): Faults {
  const path = 'spec.signerName';
  if (name === '') return [required(path)];
  if (name === LEGACY_SIGNER && !isStored)
    return [invalid(path, name, 'the legacy signerName is not allowed via this API version')];
  const [domain = '', below = '', ...more] = name.split('/');
  if (!name.includes('/') || more.length > 0)
    return [invalid(path, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")];
  const labels = domain.split('.');
  const bad = (part: string, label: string, faults: readonly string[]): Faults =>
    faults.map((fault) => invalid(path, part, `validating label ${JSON.stringify(label)}: ${fault}`));
  const badLabel = labels.find((label) => faultsOfLabel(label).length > 0);
  const badPath = below.split('.').find((label) => faultsOfSubdomain(label).length > 0);
  return [
    ...(badLabel === undefined ? [] : bad(domain, badLabel, faultsOfLabel(badLabel))),
    ...(labels.length < 2
      ? [invalid(path, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...(badPath === undefined ? [] : bad(below, badPath, faultsOfSubdomain(badPath))),
  ];
}

function checkConditions(request: KubeObject): Faults {
  const conditions = conditionsOf(request);
  const types = conditions.map(({ type }) => textOf(type));
  return conditions.flatMap(({ status }, index) => {
    const type = types[index] ?? '';
    const other = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    const before = types.slice(0, index);
    return [
      ...(type === '' ? [required(`${CONDITIONS}[${index}].type`)] : []),
      ...checkConditionStatus(type, textOf(status), `${CONDITIONS}[${index}].status`),
      ...(other !== undefined && before.includes(other)
        ? [invalid(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(before.includes(type) ? [duplicate(`${CONDITIONS}[${index}].type`, type)] : []),
    ];
  });
}

function checkConditionStatus(type: string, status: string, path: string): Faults {
  const isLasting = LASTING.some((each) => each === type);
  const allowed = isLasting ? ['True'] : ['False', 'True', 'Unknown'];
  if (status === '') return [required(path)];
  return allowed.includes(status) ? [] : [notSupported(path, status, allowed)];
}

function checkCertificate(certificate: string, before: string): Faults {
  if (certificate === '' || certificate === before) return [];
  const blocks = derIn(certificate);
  const foreign = blocks.find(({ type }) => type !== 'CERTIFICATE');
  const why =
    blocks.length === 0
      ? 'must contain at least one CERTIFICATE PEM block'
      : foreign !== undefined
        ? `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(foreign.type)}`
        : blocks.every(({ isDer }) => isDer)
          ? undefined
          : 'x509: malformed certificate';
  return why === undefined ? [] : [invalid(CERTIFICATE, '<certificate data>', why)];
}

interface Rights {
  readonly setsDecisions?: boolean;
  readonly setsCertificate?: boolean;
}

function checkChange(request: KubeObject, before: KubeObject, rights: Rights): Faults {
  return [
    ...checkRequest(request, before),
    ...LASTING.flatMap((type) =>
      conditionsOfType(request, type).length < conditionsOfType(before, type).length
        ? [forbidden(CONDITIONS, `updates may not remove a condition of type "${type}"`)]
        : [],
    ),
    ...(rights.setsDecisions === true ? [] : DECISIONS.flatMap((type) => checkDecision(request, before, type))),
    ...checkNewCertificate(certificateOf(request), certificateOf(before), rights),
  ];
}

function checkDecision(request: KubeObject, before: KubeObject, type: string): Faults {
  const now = conditionsOfType(request, type);
  const old = conditionsOfType(before, type);
  if (now.length < old.length || sameValue(now, old)) return [];
  if (now.length > old.length) return [forbidden(CONDITIONS, `updates may not add a condition of type "${type}"`)];
  return [forbidden(CONDITIONS, `updates may not modify a condition of type "${type}"\n${difference(old, now)}`)];
}

function checkNewCertificate(certificate: string, before: string, { setsCertificate }: Rights): Faults {
  if (certificate === before) return [];
  if (setsCertificate !== true) return [forbidden(CERTIFICATE, 'updates may not set certificate content')];
  return before === '' ? [] : [forbidden(CERTIFICATE, 'updates may not modify existing certificate content')];
}
