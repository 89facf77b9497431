// Runs the pods of a Job to their end, as many at a time and in all as it asks for, and says what became of them. What may
// happen at any moment: pods fail, are deleted, or go with their node; the Job is suspended, resized or deleted.
// kubernetes:pkg/controller/job/job_controller.go
import { keyOf } from '../../kube/object.ts';
import { Jobs } from '../../kube/resources/job.ts';
import { Pods } from '../../kube/resources/pod.ts';
import type { Component, ComponentContext } from '../../runtime/component.ts';
import { startController, trigger } from '../../runtime/controller.ts';
import { informerSet } from '../../runtime/informer-factory.ts';
import { EventRecorder } from '../../runtime/recorder.ts';
import { JobReconciler, NAME, jobKeysOf } from './sync-job.ts';

/** kubernetes:pkg/controller/job/config/v1alpha1/defaults.go (`--concurrent-job-syncs`) */
const WORKERS = 5;

export function jobController(): Component {
  return { name: NAME, start };
}

function start(context: ComponentContext): void {
  const informers = informerSet(context);
  const jobs = informers.of(Jobs);
  const pods = informers.of(Pods, { job: jobKeysOf });
  const recorder = new EventRecorder({ ...context, component: NAME });
  startController({
    reconciler: new JobReconciler({ pods, clock: context.clock, recorder }),
    triggers: [trigger(jobs, ({ object }) => [keyOf(object)]), trigger(pods, ({ object }) => jobKeysOf(object))],
    workers: WORKERS,
    context,
    waitFor: [informers],
  });
  informers.start();
}
