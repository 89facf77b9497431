// How a component comes to run in a process of its own on a real clock. What always holds: its log says whose it is, its view
// of the cluster ends with its work, and what it cannot mend by itself is told to whoever starts it again.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { Component } from '../runtime/component.ts';
import { UNREAD_TIMELINE } from '../runtime/timeline.ts';
import { mortal } from './mortal.ts';
import type { Crashed } from './process-table.ts';

export interface Beginning {
  readonly clock: Clock;
  /** Of the world; the component has its own branch. */
  readonly random: Random;
  readonly cluster: Cluster;
  /** Of the world. */
  readonly log: Log;
  /** Ends its work, at the latest with its life. */
  readonly signal: AbortSignal;
  readonly life: AbortSignal;
  readonly crashed: Crashed;
}

export function beginComponent(component: Component, beginning: Beginning): void {
  const { clock, random, cluster, log, signal, life, crashed } = beginning;
  const { name } = component;
  try {
    component.start({
      clock,
      random: random.fork(name),
      cluster: mortal(cluster, signal),
      timeline: UNREAD_TIMELINE,
      log: {
        write: (level, message, fields) => {
          log.write(level, `${name}: ${message}`, fields);
          // Something of it has ended that nobody awaits.
          if (fields?.['ended'] === true) crashed(name, life, fields['error']);
        },
      },
      signal,
    });
  } catch (error) {
    crashed(name, life, error);
  }
}
