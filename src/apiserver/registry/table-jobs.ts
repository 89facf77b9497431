// Jobs and cron jobs: defaults and rules. kubernetes:pkg/apis/batch/{v1/defaults.go,validation/validation.go},
// pkg/registry/batch/{job,cronjob}/strategy.go
import { type FieldError, invalid, notSupported, required } from '../../kube/field-error.ts';
import { shapeOf } from '../../kube/go-shape.ts';
import type { JsonObject } from '../../kube/json.ts';
import { validateLabelSelector } from '../../kube/label-selector.ts';
import { faultsOfLabel } from '../../kube/names.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { LabelSelector } from '../../kube/resources/meta.ts';
import { type PodTemplateSpec, PodTemplateSpecSchema } from '../../kube/resources/pod-spec.ts';
import { faultOfSchedule } from './cron-schedule.ts';
import { checkImmutable, checkNonNegative, sorted } from './field-checks.ts';
import { goStruct } from './go-struct.ts';
import { numberOf, optionalPart, partIn, partOf, textOf, withPart } from './json-parts.ts';
import { defaultPodTemplate } from './pod-defaults.ts';
import { checkPodTemplate } from './pod-spec-checks.ts';
import { keepsGeneration, warnOfPodTemplate } from './pod-warnings.ts';
import { sameValue } from './semantic-equal.ts';
import type { Strategy } from './strategy.ts';
import { checkTemplateLabels, warnOfPodNames } from './workload-checks.ts';

type Faults = readonly FieldError[];

const BACKOFF_LIMIT = 6;
const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const INDEXED_PARALLELISM_MAX = 100_000;
const TRACKED_COMPLETIONS_MAX = 100_000;
const TRACKED_PARALLELISM_MAX = 10_000;
const UNTRACKED =
  'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
/** A cron job's jobs have eleven more characters in their names. */
const CRON_NAME_LENGTH_MAX = 52;
const CONCURRENCY_POLICIES = ['Allow', 'Forbid', 'Replace'] as const;
const COMPLETION_MODES = ['NonIndexed', 'Indexed'] as const;
const REPLACEMENT_POLICIES = ['Failed', 'TerminatingOrFailed'] as const;

export const templateIn = (spec: JsonObject): PodTemplateSpec => shapeOf(PodTemplateSpecSchema, spec['template']);

export const withTemplate = (spec: JsonObject): JsonObject => ({
  ...spec,
  template: defaultPodTemplate(templateIn(spec)),
});

export const jobTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (job) => withTemplateLabels(withPart(job, defaultJobSpec)),
  prepareForCreate: (job) => withTemplateLabels(withSelector(job), job),
  orphansByDefault: {
    warning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  },
  validate: checkJob,
  validateUpdate: (job, before) => [
    ...checkJob(job),
    ...checkWhole(partIn(job)),
    ...checkChange(partIn(job), partIn(before)),
  ],
  validateStatusUpdate: () => [],
  warnings: (job, before) => [
    ...(before === undefined ? warnOfPodNames(job.metadata.name) : []),
    ...(keepsGeneration(job, before) ? [] : warnOfJobSpec(partIn(job), 'spec')),
  ],
  fieldSelectors: { 'status.successful': (job) => String(numberOf(partIn(job, 'status')['succeeded']) ?? 0) },
  unknownField: (field) => `field label "${field}" not supported for Job`,
};

export const cronJobTraits: Partial<Strategy> = {
  requiresResourceVersion: false,
  applyDefaults: (job) =>
    withPart(job, (spec) => {
      const template = partOf(spec['jobTemplate']);
      const jobSpec = partOf(template['spec']);
      return {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        ...spec,
        jobTemplate: { ...template, spec: withTemplate(jobSpec) },
      };
    }),
  validate: (job) => [
    ...checkCronSpec(partIn(job)),
    ...(textOf(job.metadata.name).length > CRON_NAME_LENGTH_MAX
      ? [invalid('metadata.name', job.metadata.name, `must be no more than ${CRON_NAME_LENGTH_MAX} characters`)]
      : []),
  ],
  validateUpdate: (job) => checkCronSpec(partIn(job)),
  validateStatusUpdate: () => [],
  warnings: (job, before) => [
    ...(before === undefined ? warnOfPodNames(job.metadata.name) : []),
    ...(keepsGeneration(job, before)
      ? []
      : warnOfJobSpec(partOf(partOf(partIn(job)['jobTemplate'])['spec']), 'spec.jobTemplate.spec')),
  ],
};

function warnOfJobSpec(spec: JsonObject, path: string): readonly string[] {
  const [completions, parallelism] = [numberOf(spec['completions']) ?? 0, numberOf(spec['parallelism']) ?? 0];
  const isTooLarge = completions > TRACKED_COMPLETIONS_MAX && parallelism > TRACKED_PARALLELISM_MAX;
  return [
    ...(spec['completionMode'] === 'Indexed' && isTooLarge ? [`${path}: ${UNTRACKED}`] : []),
    ...warnOfPodTemplate(templateIn(spec), `${path}.template`),
  ];
}

const templateLabels = (job: KubeObject): unknown => partOf(partOf(partIn(job)['template'])['metadata'])['labels'];

/** A job without labels has those of its pods, also those that the server gives them. `before` is the job without these. */
function withTemplateLabels(job: KubeObject, before = job): KubeObject {
  const labels = templateLabels(job);
  const isFilled = job.metadata.labels !== undefined && job.metadata.labels === templateLabels(before);
  if (labels === undefined || (!isFilled && Object.keys(job.metadata.labels ?? {}).length > 0)) return job;
  return { ...job, metadata: { ...job.metadata, labels: labels as Readonly<Record<string, string>> } };
}

function defaultJobSpec(spec: JsonObject): JsonObject {
  const isCounted = spec['completions'] !== undefined || spec['parallelism'] !== undefined;
  return {
    ...(isCounted ? {} : { completions: 1 }),
    parallelism: 1,
    ...(spec['backoffLimitPerIndex'] === undefined ? { backoffLimit: BACKOFF_LIMIT } : { backoffLimit: 2 ** 31 - 1 }),
    manualSelector: false,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    ...withTemplate(spec),
  };
}

/** A job tells its pods from all others by its own uid, unless it says how. */
function withSelector(job: KubeObject): KubeObject {
  const { name, uid } = job.metadata;
  const labels = {
    [CONTROLLER_UID]: uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  return withPart(job, (spec) => {
    if (spec['manualSelector'] === true) return spec;
    const template = partOf(spec['template']);
    const metadata = partOf(template['metadata']);
    const selector = partOf(spec['selector']);
    return {
      ...spec,
      selector: { ...selector, matchLabels: { ...partOf(selector['matchLabels']), [CONTROLLER_UID]: uid } },
      template: { ...template, metadata: { ...metadata, labels: { ...partOf(metadata['labels']), ...labels } } },
    };
  });
}

function checkJob(job: KubeObject): Faults {
  return [...checkGeneratedSelector(job), ...checkWhole(partIn(job)), ...checkIndexedName(job)];
}

/** Whoever chose another selector without saying so would adopt the pods of others. */
function checkGeneratedSelector(job: KubeObject): Faults {
  const spec = partIn(job);
  if (spec['manualSelector'] === true) return [];
  const chosen = Object.keys(partOf(partOf(spec['selector'])['matchLabels'])).some((key) => key !== CONTROLLER_UID);
  if (optionalPart(spec['selector']) === undefined) return [];
  return chosen ? [invalid('spec.selector', sorted(spec['selector']), '`selector` not auto-generated')] : [];
}

function checkIndexedName(job: KubeObject): Faults {
  const { completionMode, completions } = partIn(job);
  const count = numberOf(completions) ?? 0;
  if (completionMode !== 'Indexed' || count <= 0) return [];
  const { name } = job.metadata;
  const hostname = `${name}-${count - 1}`;
  return faultsOfLabel(hostname).length === 0
    ? []
    : [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${hostname}`)];
}

function checkWhole(spec: JsonObject): Faults {
  const selector = optionalPart(spec['selector']) as LabelSelector | undefined;
  return [
    ...checkJobSpec(spec, 'spec'),
    ...(selector === undefined ? [required('spec.selector')] : validateLabelSelector(selector, 'spec.selector')),
    ...checkTemplateLabels({ selector: selector ?? null, template: templateIn(spec) }),
  ];
}

const COUNTS = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;

function checkJobSpec(spec: JsonObject, path: string): Faults {
  const { podReplacementPolicy: replacement } = spec;
  const isLimited = spec['maxFailedIndexes'] !== undefined && spec['backoffLimitPerIndex'] === undefined;
  const policies = spec['podFailurePolicy'] === undefined ? REPLACEMENT_POLICIES : (['Failed'] as const);
  return [
    ...COUNTS.flatMap((name) => checkNonNegative(`${path}.${name}`, numberOf(spec[name]))),
    ...(isLimited ? [required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')] : []),
    ...checkMode(spec, path),
    ...(typeof replacement === 'string' && !policies.some((each) => each === replacement)
      ? [notSupported(`${path}.podReplacementPolicy`, replacement, policies)]
      : []),
    ...checkPodTemplate(templateIn(spec), `${path}.template`),
    ...checkRestart(spec, `${path}.template.spec.restartPolicy`),
  ];
}

function checkMode(spec: JsonObject, path: string): Faults {
  const mode = textOf(spec['completionMode']);
  if (mode !== 'Indexed') {
    const indexed = ['backoffLimitPerIndex', 'maxFailedIndexes'].filter((name) => spec[name] !== undefined);
    return [
      ...(COMPLETION_MODES.some((each) => each === mode) || mode === ''
        ? []
        : [notSupported(`${path}.completionMode`, mode, COMPLETION_MODES)]),
      ...indexed.map((name) => invalid(`${path}.${name}`, spec[name], 'requires indexed completion mode')),
    ];
  }
  const parallelism = numberOf(spec['parallelism']) ?? 0;
  const failed = numberOf(spec['maxFailedIndexes']);
  const completions = numberOf(spec['completions']);
  const detail = `must be less than or equal to ${INDEXED_PARALLELISM_MAX} when completion mode is Indexed`;
  return [
    ...(completions === undefined ? [required(`${path}.completions`, 'when completion mode is Indexed')] : []),
    ...(parallelism > INDEXED_PARALLELISM_MAX ? [invalid(`${path}.parallelism`, parallelism, detail)] : []),
    ...(failed !== undefined && completions !== undefined && failed > completions
      ? [invalid(`${path}.maxFailedIndexes`, failed, 'must be less than or equal to completions')]
      : []),
  ];
}

/** A pod that is always started again never completes. */
function checkRestart(spec: JsonObject, path: string): Faults {
  const { restartPolicy = '' } = templateIn(spec).spec;
  if (restartPolicy === 'Always' || restartPolicy === '') return [required(path, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never')
    return [notSupported(path, restartPolicy, ['OnFailure', 'Never'])];
  return spec['podFailurePolicy'] !== undefined && restartPolicy !== 'Never'
    ? [invalid(path, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')]
    : [];
}

const FIXED = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

function checkChange(spec: JsonObject, before: JsonObject): Faults {
  const fixed = (name: string): Faults => checkImmutable(`spec.${name}`, spec[name] ?? null, before[name] ?? null);
  return [
    ...(spec['completionMode'] === 'Indexed' ? [] : fixed('completions')),
    ...fixed('selector'),
    ...(sameValue(spec['template'], before['template'])
      ? []
      : [invalid('spec.template', goStruct(templateIn(spec)), 'field is immutable')]),
    ...FIXED.flatMap(fixed),
  ];
}

function checkCronSpec(spec: JsonObject): Faults {
  const schedule = textOf(spec['schedule']);
  const policy = textOf(spec['concurrencyPolicy']);
  const template = partOf(partOf(spec['jobTemplate'])['spec']);
  const at = 'spec.jobTemplate.spec';
  return [
    ...(schedule === '' ? [required('spec.schedule')] : checkSchedule(schedule)),
    ...checkNonNegative('spec.startingDeadlineSeconds', numberOf(spec['startingDeadlineSeconds'])),
    ...checkTimeZone(spec['timeZone']),
    ...(CONCURRENCY_POLICIES.some((each) => each === policy)
      ? []
      : [notSupported('spec.concurrencyPolicy', policy, CONCURRENCY_POLICIES)]),
    ...checkJobSpec(template, at),
    ...(template['selector'] === undefined
      ? []
      : [invalid(`${at}.selector`, template['selector'], '`selector` will be auto-generated')]),
    ...(template['manualSelector'] === true ? [notSupported(`${at}.manualSelector`, true, ['nil', 'false'])] : []),
    ...checkNonNegative('spec.successfulJobsHistoryLimit', numberOf(spec['successfulJobsHistoryLimit'])),
    ...checkNonNegative('spec.failedJobsHistoryLimit', numberOf(spec['failedJobsHistoryLimit'])),
  ];
}

function checkSchedule(schedule: string): Faults {
  const fault = faultOfSchedule(schedule);
  return [
    ...(fault === undefined ? [] : [invalid('spec.schedule', schedule, fault)]),
    ...(schedule.includes('TZ')
      ? [invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')]
      : []),
  ];
}

/** Whether a zone exists is known to a table that is not kept here; what cannot be a name of one is refused. */
function checkTimeZone(zone: unknown): Faults {
  if (typeof zone !== 'string') return [];
  if (zone === '') return [invalid('spec.timeZone', zone, 'timeZone must be nil or non-empty string')];
  const isOdd = (part: string): boolean =>
    part === '.' || part === '..' || part.startsWith('-') || !/^[-A-Za-z._0-9+]{1,14}$/.test(part);
  if (zone.split('/').some(isOdd)) return [invalid('spec.timeZone', zone, `unknown time zone ${zone}`)];
  const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return zone.toLowerCase() === 'local' ? [invalid('spec.timeZone', zone, detail)] : [];
}
