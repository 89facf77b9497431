import type { Component, ComponentContext } from '../../runtime/component.ts';
import { InformerFactory } from '../../runtime/informer-factory.ts';
import { EventSeriesRecorder } from '../../runtime/series-recorder.ts';
import { supervise } from '../../runtime/supervise.ts';
import { BindingCycle } from './binding-cycle.ts';
import { subscribeToChanges } from './change-handlers.ts';
import { clusterViewOf, informersOf } from './cluster-view.ts';
import { FailureHandler } from './failure-handler.ts';
import { Nominator } from './nominations.ts';
import { defaultPlugins } from './plugins.ts';
import { SchedulingCycle } from './scheduling-cycle.ts';
import { SchedulingQueue } from './scheduling-queue.ts';
import { type ResolvedSettings, type SchedulerSettings, resolveSettings } from './settings.ts';
import { VictimRemoval } from './victim-removal.ts';

/** kube-scheduler. Its Events say that they come from the scheduler's name. */
export function scheduler(settings: SchedulerSettings = {}): Component {
  const resolved = resolveSettings(settings);
  return { name: resolved.schedulerName, start: (context) => startScheduler(context, resolved) };
}

function startScheduler(context: ComponentContext, settings: ResolvedSettings): void {
  const { signal, log, clock } = context;
  const { schedulerName } = settings;
  const random = context.random.fork('scheduler');
  const factory = new InformerFactory(context);
  const informers = informersOf(factory);
  const view = clusterViewOf(informers);
  const nominator = new Nominator();
  const hints = { namespaceNamed: (name: string) => informers.namespaces.get(name) };
  const queue = new SchedulingQueue({ clock, settings, signal, hints });
  const recorder = new EventSeriesRecorder({ ...context, controller: schedulerName, host: 'mooring' });
  const failures = new FailureHandler({ context, pods: informers.pods, queue, nominator, recorder });
  const removal = new VictimRemoval({ context, recorder, schedulerName });
  const cycle = new SchedulingCycle({
    context,
    settings,
    queue,
    view,
    nominator,
    failures,
    plugins: defaultPlugins(settings.profile, random),
    random: random.fork('ties'),
    bindings: new BindingCycle({ context, settings, view, queue, recorder, failures }),
    preempt: (preemptor, candidate, reason) => removal.remove(preemptor, candidate, reason),
  });
  subscribeToChanges({ informers, placement: view.placement, nominator, queue, schedulerName });
  factory.start();
  supervise(
    schedulerName,
    factory.whenSynced(signal).then(() => cycle.run()),
    log,
  );
}
