// Tables of what makes pods and of what guards them.
import type { ControllerRevision } from '../../kube/resources/controller-revision.ts';
import type { KubeObject } from '../../kube/object.ts';
import type { PodDisruptionBudget } from '../../kube/resources/pod-disruption-budget.ts';
import { ageOf, humanDuration } from './age.ts';
import { containerCells, labelsText, matcherText, selectorText } from './cell-text.ts';
import { at, conditionAt, listAt, numberAt, textAt, textsAt } from './field.ts';
import { AGE, type Cell, NAME, type Printer, boolean, integer, text, wideText } from './printer.ts';

const CONTAINERS = [wideText('Containers'), wideText('Images')];
const POD_SPEC = 'spec.template.spec';

const age = ({ metadata }: KubeObject, now: number): string => ageOf(metadata.creationTimestamp, now);

/** Desired, current and ready replicas. */
const replicaCounts = (object: KubeObject): readonly Cell[] => [
  numberAt(object, 'spec.replicas'),
  numberAt(object, 'status.replicas'),
  numberAt(object, 'status.readyReplicas'),
];

const readyText = (object: KubeObject): string =>
  `${numberAt(object, 'status.readyReplicas')}/${numberAt(object, 'spec.replicas')}`;

export const podTemplatePrinter: Printer = {
  columns: [NAME, text('Containers'), text('Images'), text('Pod Labels')],
  cells: (template) => [
    template.metadata.name,
    ...containerCells(at(template, 'template.spec')),
    labelsText(textsAt(template, 'template.metadata.labels')),
  ],
};

export const replicationControllerPrinter: Printer = {
  columns: [NAME, ...['Desired', 'Current', 'Ready'].map(integer), AGE, ...CONTAINERS, wideText('Selector')],
  cells: (controller, now) => [
    controller.metadata.name,
    ...replicaCounts(controller),
    age(controller, now),
    ...containerCells(at(controller, POD_SPEC)),
    labelsText(textsAt(controller, 'spec.selector')),
  ],
};

export const replicaSetPrinter: Printer = {
  ...replicationControllerPrinter,
  cells: (set, now) => [
    set.metadata.name,
    ...replicaCounts(set),
    age(set, now),
    ...containerCells(at(set, POD_SPEC)),
    selectorText(at(set, 'spec.selector')),
  ],
};

export const deploymentPrinter: Printer = {
  columns: [NAME, ...['Ready', 'Up-to-date', 'Available'].map(text), AGE, ...CONTAINERS, wideText('Selector')],
  cells: (deployment, now) => [
    deployment.metadata.name,
    readyText(deployment),
    numberAt(deployment, 'status.updatedReplicas'),
    numberAt(deployment, 'status.availableReplicas'),
    age(deployment, now),
    ...containerCells(at(deployment, POD_SPEC)),
    matcherText(at(deployment, 'spec.selector'), '<invalid>'),
  ],
};

export const statefulSetPrinter: Printer = {
  columns: [NAME, text('Ready'), AGE, ...CONTAINERS],
  cells: (set, now) => [set.metadata.name, readyText(set), age(set, now), ...containerCells(at(set, POD_SPEC))],
};

export const daemonSetPrinter: Printer = {
  columns: [
    NAME,
    ...['Desired', 'Current', 'Ready', 'Up-to-date', 'Available'].map(integer),
    text('Node Selector'),
    AGE,
    ...CONTAINERS,
    wideText('Selector'),
  ],
  cells: (set, now) => [
    set.metadata.name,
    numberAt(set, 'status.desiredNumberScheduled'),
    numberAt(set, 'status.currentNumberScheduled'),
    numberAt(set, 'status.numberReady'),
    numberAt(set, 'status.updatedNumberScheduled'),
    numberAt(set, 'status.numberAvailable'),
    labelsText(textsAt(set, `${POD_SPEC}.nodeSelector`)),
    age(set, now),
    ...containerCells(at(set, POD_SPEC)),
    selectorText(at(set, 'spec.selector')),
  ],
};

export const jobPrinter: Printer = {
  columns: [NAME, ...['Status', 'Completions', 'Duration'].map(text), AGE, ...CONTAINERS, wideText('Selector')],
  cells: (job, now) => [
    job.metadata.name,
    jobStatus(job),
    completionsText(job),
    jobDuration(job, now),
    age(job, now),
    ...containerCells(at(job, POD_SPEC)),
    selectorText(at(job, 'spec.selector')),
  ],
};

function jobStatus(job: KubeObject): string {
  const has = (type: string): boolean => conditionAt(job, type) === 'True';
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  return has('SuccessCriteriaMet') ? 'SuccessCriteriaMet' : 'Running';
}

function completionsText(job: KubeObject): string {
  const succeeded = numberAt(job, 'status.succeeded');
  const completions = at(job, 'spec.completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = numberAt(job, 'spec.parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const [started, completed] = [textAt(job, 'status.startTime'), textAt(job, 'status.completionTime')];
  if (started === '') return '';
  return humanDuration((completed === '' ? now : Date.parse(completed)) - Date.parse(started));
}

export const cronJobPrinter: Printer = {
  columns: [
    NAME,
    text('Schedule'),
    text('Timezone'),
    boolean('Suspend'),
    integer('Active'),
    text('Last Schedule'),
    AGE,
    ...CONTAINERS,
    wideText('Selector'),
  ],
  cells: (job, now) => {
    const last = textAt(job, 'status.lastScheduleTime');
    const template = at(job, 'spec.jobTemplate');
    return [
      job.metadata.name,
      textAt(job, 'spec.schedule'),
      textAt(job, 'spec.timeZone', '<none>'),
      flagText(at(job, 'spec.suspend')),
      listAt(job, 'status.active').length,
      last === '' ? '<none>' : ageOf(last, now),
      age(job, now),
      ...containerCells(at(template, POD_SPEC)),
      selectorText(at(template, 'spec.selector')),
    ];
  },
};

const flagText = (value: unknown): string => (value === undefined ? '<unset>' : value === true ? 'True' : 'False');

export const controllerRevisionPrinter: Printer<ControllerRevision> = {
  columns: [NAME, text('Controller'), text('Revision'), AGE],
  cells: (revision, now) => [revision.metadata.name, controllerText(revision), revision.revision, age(revision, now)],
};

/** `statefulset.apps/db` */
function controllerText({ metadata }: ControllerRevision): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '<none>';
  const [group, version] = owner.apiVersion.split('/');
  const kind = version === undefined ? owner.kind : `${owner.kind}.${group ?? ''}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}

export const disruptionBudgetPrinter: Printer<PodDisruptionBudget> = {
  columns: [NAME, text('Min Available'), text('Max Unavailable'), integer('Allowed Disruptions'), AGE],
  cells: (budget, now) => [
    budget.metadata.name,
    String(budget.spec.minAvailable ?? 'N/A'),
    String(budget.spec.maxUnavailable ?? 'N/A'),
    budget.status.disruptionsAllowed,
    age(budget, now),
  ],
};

export const scalePrinter: Printer = {
  columns: [{ ...NAME, format: '' }, integer('Desired'), integer('Available'), AGE],
  cells: (scale, now) => [
    scale.metadata.name,
    numberAt(scale, 'spec.replicas'),
    numberAt(scale, 'status.replicas'),
    age(scale, now),
  ],
};
