// Counts the healthy pods of every PodDisruptionBudget and says how many of them may be evicted. The eviction itself is
// the server's: it spends what the status allows and notes the pod; this controller gives back what was spent in vain.
// kubernetes:pkg/controller/disruption/disruption.go
import { AssertionFailure } from '../../base/assert.ts';
import { Aborted, type DurationMs } from '../../base/clock.ts';
import { isApiError } from '../../kube/api-error.ts';
import { type LabelMatcher, labelMatcherOf } from '../../kube/label-selector.ts';
import { type KubeObject, type ObjectKey, keyOf } from '../../kube/object.ts';
import type { Reason } from '../../kube/reason.ts';
import { Deployments } from '../../kube/resources/deployment.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import {
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  PodDisruptionBudgets,
} from '../../kube/resources/pod-disruption-budget.ts';
import { ReplicaSets } from '../../kube/resources/replica-set.ts';
import { StatefulSets } from '../../kube/resources/stateful-set.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Trigger, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import { messageOf } from '../../runtime/supervise.ts';
import { sinceMinor } from '../../kube/kubernetes-version.ts';
import {
  type BudgetPod,
  asksForScale,
  countHealthy,
  decideDisruptions,
  decideExpectation,
  decideStatus,
  failedStatus,
  isUpToDate,
} from './budget-status.ts';
import { type Workloads, expectedScale } from './expected-scale.ts';
import { selectorText } from './selector-text.ts';
import { startStaleDisruption } from './stale-disruption.ts';

const NAME = 'disruption-controller';
/** Where its Events come from. */
const EVENT_COMPONENT = 'controllermanager';
/** A budget that is to be counted again waits for its turn in the queue too. client-go:util/workqueue */
const REQUEUE_MS: DurationMs = 5;
/** Conditions name the generation they were made for. Gate PodObservedGenerationTracking: on since 1.34. */
const OBSERVED_GENERATION_SINCE = 34;

export interface DisruptionSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
}

export function disruptionController({ profile }: DisruptionSettings = {}): Component {
  const observedGeneration = sinceMinor(profile)(OBSERVED_GENERATION_SINCE);
  return { name: NAME, start: (context) => new Disruption(context).start(observedGeneration) };
}

class Disruption {
  readonly #context: ComponentContext;
  readonly #informers: InformerFactory;
  readonly #budgets: Informer<PodDisruptionBudget>;
  readonly #pods: Informer<Pod>;
  readonly #workloads: Workloads;
  readonly #recorder: Recorder;
  /** Selectors as they were read, while their budget is as it is. */
  readonly #matchers = new WeakMap<PodDisruptionBudget, LabelMatcher>();

  constructor(context: ComponentContext) {
    this.#context = context;
    this.#informers = new InformerFactory(context);
    this.#budgets = this.#informers.of(PodDisruptionBudgets, { namespace: namespaceOf });
    this.#pods = this.#informers.of(Pods, { namespace: namespaceOf });
    this.#workloads = {
      deployments: this.#informers.of(Deployments),
      replicaSets: this.#informers.of(ReplicaSets),
      statefulSets: this.#informers.of(StatefulSets),
    };
    this.#recorder = new EventRecorder({ ...context, component: EVENT_COMPONENT });
  }

  start(observedGeneration: boolean): void {
    const waitFor = [this.#informers];
    startController({
      reconciler: {
        name: NAME,
        kind: 'PodDisruptionBudget',
        reconcile: (key, turn) => this.#reconcile(key, turn),
      },
      triggers: [trigger(this.#budgets, ({ object }) => [keyOf(object)]), this.#podTrigger()],
      workers: 1,
      context: this.#context,
      waitFor,
    });
    startStaleDisruption({ context: this.#context, pods: this.#pods, waitFor, observedGeneration });
    this.#informers.start();
  }

  /** A change of a pod concerns one budget, even if several select it. */
  #podTrigger(): Trigger {
    return {
      subscribe: (enqueue) =>
        this.#pods.subscribe(({ object }, reason) => {
          const [budget, ...others] = this.#budgetsOf(object);
          if (budget === undefined) return;
          if (others.length > 0) this.#saySeveral(object, budget, reason);
          enqueue(keyOf(budget), reason);
        }),
    };
  }

  #saySeveral(pod: Pod, { metadata }: PodDisruptionBudget, reason: Reason): void {
    const { namespace = '', name } = pod.metadata;
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${metadata.name}" arbitrarily.`;
    const recorder = this.#recorder.via(this.#context.cluster.because(reason));
    recorder.event(pod, 'Warning', 'MultiplePodDisruptionBudgets', message);
  }

  #budgetsOf(pod: Pod): readonly PodDisruptionBudget[] {
    const { namespace = '', labels } = pod.metadata;
    return [...this.#budgets.by('namespace', namespace)].filter((budget) => this.#matcherOf(budget).matches(labels));
  }

  #podsOf(budget: PodDisruptionBudget): readonly Pod[] {
    const matcher = this.#matcherOf(budget);
    const pods = this.#pods.by('namespace', budget.metadata.namespace ?? '');
    return [...pods].filter(({ metadata }) => matcher.matches(metadata.labels));
  }

  #matcherOf(budget: PodDisruptionBudget): LabelMatcher {
    const known = this.#matchers.get(budget);
    if (known !== undefined) return known;
    const matcher = labelMatcherOf(budget.spec.selector);
    this.#matchers.set(budget, matcher);
    return matcher;
  }

  async #reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const budget = this.#budgets.get(key);
    if (budget === undefined) return { type: 'settled' };
    try {
      return await this.#count(budget, turn);
    } catch (error) {
      if (isApiError(error, 'Conflict') || error instanceof Aborted || error instanceof AssertionFailure) throw error;
      this.#context.log.write('warn', `budget ${key}: ${messageOf(error)}`, { error });
      await this.#write(budget, failedStatus(budget, messageOf(error), this.#context.clock.now()), turn);
      return { type: 'settled' };
    }
  }

  async #count(budget: PodDisruptionBudget, turn: Turn): Promise<Outcome> {
    const pods = this.#podsOf(budget);
    const recorder = this.#recorder.via(turn.cluster);
    if (pods.length === 0) recorder.event(budget, 'Normal', 'NoPods', 'No matching pods found');
    const scale = asksForScale(budget.spec) ? await this.#scaleOf(budget, pods, turn) : 0;
    const expectation = decideExpectation(budget.spec, { pods: pods.length, scale });
    const now = this.#context.clock.now();
    const facts = pods.map(budgetPod);
    const { disruptedPods, notDeleted, recheckAt } = decideDisruptions(budget.status, facts, now);
    for (const pod of pods) if (notDeleted.includes(pod.metadata.name)) sayNotDeleted(pod, budget, recorder);
    const currentHealthy = countHealthy(facts, disruptedPods, now);
    const status = decideStatus(budget, { ...expectation, currentHealthy, disruptedPods }, now);
    if (!isUpToDate(budget, status)) await this.#write(budget, status, turn);
    if (recheckAt === undefined) return { type: 'settled' };
    return { type: 'requeue', after: recheckAt - now + REQUEUE_MS, waitingFor: 'evicted pods to be deleted' };
  }

  async #scaleOf(budget: PodDisruptionBudget, pods: readonly Pod[], { cluster }: Turn): Promise<number> {
    const recorder = this.#recorder.via(cluster);
    try {
      const { scale, unmanaged } = await expectedScale(pods, this.#workloads, cluster);
      if (unmanaged.length > 0) recorder.event(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget));
      return scale;
    } catch (error) {
      const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`;
      recorder.event(budget, 'Warning', 'CalculateExpectedPodCountFailed', message);
      throw error;
    }
  }

  async #write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus, { cluster }: Turn): Promise<void> {
    await cluster.update(PodDisruptionBudgets, { ...budget, status }, { subresource: 'status' });
  }
}

const namespaceOf = ({ metadata }: KubeObject): readonly string[] => [metadata.namespace ?? ''];

const budgetPod = ({ metadata, status }: Pod): BudgetPod => ({
  name: metadata.name,
  isGoing: metadata.deletionTimestamp !== undefined,
  isReady: (status.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True'),
});

/** Upstream names the namespace twice, where it means the name. */
function sayNotDeleted(pod: Pod, { metadata: { namespace = '' } }: PodDisruptionBudget, recorder: Recorder): void {
  const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
  recorder.event(pod, 'Warning', 'NotDeleted', message);
}

const unmanagedMessage = ({ spec }: PodDisruptionBudget): string =>
  `Pods selected by this PodDisruptionBudget (selector: ${selectorText(spec.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
