// How long the containers of a virtual node run. They run no program, so nothing would ever end by itself, and a Job would
// never be done. What is meant to end therefore does: as its command says where that is plain, and otherwise soon.
import { type DurationMs, SECOND_MS } from '../base/clock.ts';
import { controllerOf } from '../kube/owner-reference.ts';
import type { Pod } from '../kube/resources/pod.ts';
import type { ContainerBehaviour } from '../kubelet/podworkers/memory-runtime.ts';

/** Of work that says nothing about itself. */
const SOME_WORK_MS = SECOND_MS;
const SHELLS = new Set(['sh', 'bash', '/bin/sh', '/bin/bash']);
const QUICK = new Set(['true', 'echo', 'date', 'printf', 'env', 'ls', 'cat', 'hostname']);

/** Pods that are restarted whatever happens run until they are stopped, and so do those that nothing says are to end. */
export function containerWork(pod: Pod): ContainerBehaviour {
  if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return {};
  const [container] = pod.spec.containers;
  const said = workOf([...(container?.command ?? []), ...(container?.args ?? [])]);
  if (said !== undefined) return { runs: said };
  return controllerOf(pod)?.kind === 'Job' ? { runs: { forMs: SOME_WORK_MS, exitCode: 0 } } : {};
}

interface Work {
  readonly forMs: DurationMs;
  readonly exitCode: number;
}

/** undefined: the words do not say it. */
function workOf([program = '', ...words]: readonly string[]): Work | undefined {
  if (SHELLS.has(program) && words[0] === '-c') return workOfScript(words[1] ?? '');
  if (program === 'sleep' && /^\d+(?:\.\d+)?s?$/.test(words[0] ?? ''))
    return { forMs: Number.parseFloat(words[0] ?? '') * SECOND_MS, exitCode: 0 };
  if (program === 'false') return { forMs: 0, exitCode: 1 };
  if (program === 'exit') return { forMs: 0, exitCode: Number(words[0] ?? 0) };
  return QUICK.has(program) ? { forMs: 0, exitCode: 0 } : undefined;
}

/** Commands one after the other, if all of them are plain. */
function workOfScript(script: string): Work | undefined {
  let forMs = 0;
  for (const command of script.split(/;|&&|\n/).map((each) => each.trim())) {
    if (command === '') continue;
    const work = workOf(command.split(/\s+/));
    if (work === undefined) return undefined;
    forMs += work.forMs;
    if (work.exitCode !== 0) return { forMs, exitCode: work.exitCode };
  }
  return { forMs, exitCode: 0 };
}
