// Rolls the pod template of each Deployment out through ReplicaSets, one for each template, and keeps a few old ones to go
// back to. It never touches pods: it resizes sets and reads their counts.
// kubernetes:pkg/controller/deployment/deployment_controller.go
import type { Clock } from '../../base/clock.ts';
import { causeOf } from '../../kube/api-error.ts';
import { claimControlled, controllerKeysOf, orphansOf } from '../../kube/controller-claim.ts';
import { labelMatcherOf } from '../../kube/label-selector.ts';
import { type KubeObject, type ObjectKey, type OwnerReference, keyFrom, keyOf } from '../../kube/object.ts';
import { controllerOf } from '../../kube/owner-reference.ts';
import { type Deployment, Deployments } from '../../kube/resources/deployment.ts';
import { type Pod, Pods } from '../../kube/resources/pod.ts';
import { type ReplicaSet, ReplicaSets } from '../../kube/resources/replica-set.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { type Outcome, type Reconciler, type Turn, startController, trigger } from '../../runtime/controller.ts';
import type { Change, Lister } from '../../runtime/informer.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder, type Recorder } from '../../runtime/recorder.ts';
import { type Profile, profileOf } from './profile.ts';
import { DeploymentPass } from './sync-deployment.ts';

/** Of the component and of its events. */
const NAME = 'deployment-controller';
/** kubernetes:pkg/controller/deployment/config/v1alpha1/defaults.go */
const CONCURRENT_SYNCS = 5;

/** By upstream's flags; what is absent has upstream's default. */
export interface DeploymentSettings {
  /** The Kubernetes version whose behaviour is played: `1.36.3`. */
  readonly profile?: string;
  /** `--concurrent-deployment-syncs` */
  readonly concurrentDeploymentSyncs?: number;
}

export function deploymentController(settings: DeploymentSettings = {}): Component {
  return { name: NAME, start: (context) => start(context, settings) };
}

function start(context: ComponentContext, settings: DeploymentSettings): void {
  const informers = informerSet(context);
  const deployments = informers.of(Deployments, { namespace: namespaceOf });
  const sets = informers.of(ReplicaSets, { controller: controllerKeysOf });
  const pods = informers.of(Pods, { controller: controllerKeysOf });
  const parts: Parts = {
    deployments,
    sets,
    pods,
    clock: context.clock,
    recorder: new EventRecorder({ ...context, component: NAME }),
    profile: profileOf(settings.profile),
  };
  startController({
    reconciler: new DeploymentReconciler(parts),
    triggers: [
      trigger(deployments, ({ object }) => [keyOf(object)]),
      trigger(sets, (change) => deploymentsOfSet(deployments, change)),
      trigger(pods, (change) => deploymentsOfLastPod(parts, change)),
    ],
    workers: settings.concurrentDeploymentSyncs ?? CONCURRENT_SYNCS,
    context,
    waitFor: [informers],
  });
  informers.start();
}

const namespaceOf = ({ metadata }: Deployment): readonly string[] => [metadata.namespace ?? ''];

/** The Deployment that controls the set, before and now; an orphan concerns every Deployment that selects it. */
function* deploymentsOfSet(deployments: Lister<Deployment>, change: Change<ReplicaSet>): Iterable<ObjectKey> {
  const { object } = change;
  const owner = controllerOf(object);
  const ownerBefore = change.type === 'updated' ? controllerOf(change.before) : undefined;
  if (ownerBefore !== undefined && ownerBefore.uid !== owner?.uid) yield* namedBy(deployments, object, ownerBefore);
  if (owner !== undefined) {
    yield* namedBy(deployments, object, owner);
    return;
  }
  if (change.type === 'deleted' || object.metadata.deletionTimestamp !== undefined) return;
  for (const deployment of deployments.by('namespace', object.metadata.namespace ?? '')) {
    const matcher = labelMatcherOf(deployment.spec.selector ?? undefined);
    if (!matcher.isEmpty && matcher.matches(object.metadata.labels)) yield keyOf(deployment);
  }
}

/** A Deployment that recreates waits for the last of its pods to go; others have nothing to learn from pods. */
function* deploymentsOfLastPod({ deployments, sets, pods }: Parts, change: Change<Pod>): Iterable<ObjectKey> {
  const owner = controllerOf(change.object);
  if (change.type !== 'deleted' || owner?.kind !== ReplicaSets.kind) return;
  const set = sets.get(keyFrom(change.object.metadata.namespace, owner.name));
  const above = set?.metadata.uid === owner.uid ? controllerOf(set) : undefined;
  if (set === undefined || above === undefined) return;
  for (const key of namedBy(deployments, set, above)) {
    const isRecreated = deployments.get(key)?.spec.strategy.type === 'Recreate';
    const siblings = [...sets.by('controller', above.uid)];
    const hasPods = siblings.some(({ metadata }) => pods.by('controller', metadata.uid).next().done !== true);
    if (isRecreated && !hasPods) yield key;
  }
}

/** By name and uid: a Deployment made again under the name has nothing to do with the object. */
function namedBy(
  deployments: Lister<Deployment>,
  { metadata }: KubeObject,
  { kind, name, uid }: OwnerReference,
): readonly ObjectKey[] {
  if (kind !== Deployments.kind) return [];
  const key = keyFrom(metadata.namespace, name);
  return deployments.get(key)?.metadata.uid === uid ? [key] : [];
}

interface Parts {
  readonly deployments: Lister<Deployment>;
  readonly sets: Lister<ReplicaSet>;
  readonly pods: Lister<Pod>;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly profile: Profile;
}

class DeploymentReconciler implements Reconciler {
  readonly name = NAME;
  readonly kind = Deployments.kind;
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async reconcile(key: ObjectKey, turn: Turn): Promise<Outcome> {
    const { deployments, pods, clock, recorder, profile } = this.#parts;
    const { cluster } = turn;
    const deployment = deployments.get(key);
    if (deployment === undefined) return { type: 'settled' };
    const pass = new DeploymentPass({
      deployment,
      sets: await this.#setsOf(deployment, turn),
      podsOf: ({ metadata }) => pods.by('controller', metadata.uid),
      cluster,
      recorder: recorder.via(cluster),
      now: clock.now(),
      profile,
    });
    try {
      return await pass.run();
    } catch (error) {
      // In a namespace that is being deleted nothing can be made, and nothing needs to be.
      if (causeOf(error, 'NamespaceTerminating') !== undefined) return { type: 'settled' };
      throw error;
    }
  }

  /** Adopts orphans, lets go what is no longer selected. */
  #setsOf(deployment: Deployment, { cluster }: Turn): Promise<readonly ReplicaSet[]> {
    const { sets } = this.#parts;
    const { uid, namespace } = deployment.metadata;
    const matcher = labelMatcherOf(deployment.spec.selector ?? undefined);
    return claimControlled({
      cluster,
      controller: deployment,
      controllerResource: Deployments,
      resource: ReplicaSets,
      objects: [...sets.by('controller', uid), ...sets.by('controller', orphansOf(namespace))],
      isWanted: ({ metadata }) => matcher.matches(metadata.labels),
    });
  }
}
